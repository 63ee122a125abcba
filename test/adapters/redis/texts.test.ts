import { expect, test } from 'vitest';
import { decodeJournal, encodeEntries } from '../../../adapters/redis/journal-text.js';
import { Keyspace, keyOfPath } from '../../../adapters/redis/keys.js';
import { decodeHead, decodeState, encodeHead, encodeOrigin, encodeState } from '../../../adapters/redis/record-text.js';
import { ended, headOf, live, NOON, say } from '../../../src/testing/samples.js';

const never = Number.POSITIVE_INFINITY;

test.each([
  live('IDLE', { deadline: NOON }),
  live('ACTIVE', { revision: 7, deadline: never, operations: ['a', 'b~c.d-e'] }),
  live('PAUSED', { limitMs: never }),
  ended('failed', { revision: 3 }),
])('a record gives back what was written: %j', (state) => {
  const { start, end } = encodeState(state);
  const head = headOf('\u20AC"\n', NOON, { context: 'x\n2 {"' });
  const record = `${start}${encodeOrigin('abcdefghijkl', state, NOON)}${end}\n${encodeHead(head)}`;
  expect(decodeState(record)).toMatchObject({ birth: 'abcdefghijkl', changes: 1, state });
  expect(decodeHead(head.id, record)).toEqual(head);
  expect(decodeHead('another', record)).toBeUndefined();
});

test('a journal gives back its entries, and nothing where its mark counts others', () => {
  const entries = [say('"w:000001:000002:000002",\n'), say('\u20AC\u{1F600}')];
  const journal = `${encodeEntries(entries)}"w:000001:000002:000002",\n`;
  expect(decodeJournal(journal)).toEqual({ entries, appends: 1, count: 2 });
  expect(decodeJournal(`${encodeEntries(entries)}${journal}`)).toBeUndefined();
  expect(decodeJournal(journal.slice(1))).toBeUndefined();
});

test.each([
  ['a:b', '{x}'],
  ['%0041', '*'],
  ['\ud800', '\u{1F600}'],
])('a path leads back to the session of %j and %j', (tenant, id) => {
  const { path, record } = new Keyspace('app', 3).of({ tenant, id });
  expect(keyOfPath(path)).toEqual({ tenant, id });
  expect(new Keyspace('app', 3).parse(record)).toEqual({ kind: 'record', rest: path });
});
