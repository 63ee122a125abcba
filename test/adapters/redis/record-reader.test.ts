import { describe, expect, it } from 'vitest';
import { journalLines, journalOf } from '../../../adapters/redis/journal-text.js';
import { type ReadRecord, RecordReader } from '../../../adapters/redis/record-reader.js';
import { encodeState } from '../../../adapters/redis/state-text.js';
import type { StateRecord } from '../../../src/session/record.js';
import { live } from '../../../src/testing/samples.js';

const active = live('ACTIVE', { revision: 2, since: 1000, limitMs: 60_000, deadline: 61_000 });
const paused: StateRecord = { ...active, status: 'PAUSED', revision: 3, since: 2000, activeMs: 1000 };

const options = { face: 'ada', profile: 'tutor', behavior: '', context: '', timeLimit: 60 };
const head = (id: string) => ({ id, options, createdAt: '2026-01-31T18:00:02.000Z' });
const created = (id: string): string => journalOf(head(id), 'write-1');
const say = (content: string, writeId = 'write-2'): string =>
  `${journalLines([{ role: 'user', content, timestamp: '2026-01-31T18:00:03.000Z' }])}"${writeId}:3:1",\n`;

const stateText = (state: StateRecord): string => `${encodeState(state)}write-1|2|write-2:2:I,`;

const contents = (record: ReadRecord): readonly string[] => {
  if (typeof record === 'string') throw new Error(`the record is ${record}`);
  return record.history.map(({ content }) => content);
};

describe('a session that is read again', () => {
  it('is the same object as long as nothing has changed, and neither checked nor parsed anew', () => {
    const reader = new RecordReader();
    const journal = created('a') + say('hello');
    const first = reader.read(stateText(active), journal);
    expect(reader.read(stateText(active), `${journal}`)).toBe(first);
    expect(contents(first)).toEqual(['hello']);
  });

  it('has its new state', () => {
    const reader = new RecordReader();
    reader.read(stateText(active), created('a'));
    expect(reader.read(stateText(paused), created('a'))).toMatchObject({ state: paused });
    expect(reader.read(stateText(active), created('a'))).toMatchObject({ state: active });
  });

  it('has the entries that came since, whether or not anybody looked at those before', () => {
    const reader = new RecordReader();
    let journal = created('a');
    for (let turn = 1; turn <= 6; turn += 1) {
      journal += say(`turn ${turn}`, `write-${turn}`);
      const record = reader.read(stateText(active), journal);
      if (turn % 3 === 0) expect(contents(record)).toEqual(Array.from({ length: turn }, (_, at) => `turn ${at + 1}`));
    }
    const record = reader.read(stateText(active), journal);
    expect(typeof record === 'object' && 'json' in record.history && JSON.parse(record.history.json())).toHaveLength(6);
  });

  it('shares the entries that were looked at before', () => {
    const reader = new RecordReader();
    const entriesOf = (record: ReadRecord) => (typeof record === 'object' ? record.history : []);
    const [before] = entriesOf(reader.read(stateText(active), created('a') + say('hello')));
    const [again, added] = entriesOf(reader.read(stateText(active), created('a') + say('hello') + say('goodbye')));
    expect(again).toBe(before);
    expect(added?.content).toBe('goodbye');
  });

  it('leaves what was read before as it was', () => {
    const reader = new RecordReader();
    const before = reader.read(stateText(active), created('a') + say('hello'));
    const after = reader.read(stateText(active), created('a') + say('hello') + say('goodbye'));
    expect([contents(before), contents(after)]).toEqual([['hello'], ['hello', 'goodbye']]);
  });

  it('is corrupt when it is damaged afterwards, wherever the damage is', () => {
    const journal = created('a') + say('hello');
    const grown = journal + say('goodbye');
    for (const damaged of [
      grown.replace('hello', 'hel"lo'),
      grown.replace('goodbye', 'good\nbye'),
      grown.slice(0, -3),
      journal.slice(0, -3),
      grown.replace('tutor', 'tu"tor'),
    ]) {
      const reader = new RecordReader();
      reader.read(stateText(active), journal);
      expect(reader.read(stateText(active), damaged)).toBe('corrupt');
      expect(contents(reader.read(stateText(active), grown))).toEqual(['hello', 'goodbye']);
    }
    const reader = new RecordReader();
    reader.read(stateText(active), journal);
    expect(reader.read('1 2 nonsense|', journal)).toBe('corrupt');
  });

  it('is what its text says and not what another of the same id was', () => {
    const reader = new RecordReader();
    const ours = created('a') + say('ours');
    const theirs = journalOf({ ...head('a'), options: { ...options, face: 'bob' } }, 'write-9') + say('theirs');
    for (let round = 0; round < 3; round += 1) {
      expect(contents(reader.read(stateText(active), ours))).toEqual(['ours']);
      const record = reader.read(stateText(active), theirs);
      expect(contents(record)).toEqual(['theirs']);
      expect(record).toMatchObject({ head: { options: { face: 'bob' } } });
    }
  });

  it('is read anew once many others have been read since', () => {
    const reader = new RecordReader();
    const long = 'x'.repeat(50_000);
    const journal = created('a') + say(long);
    const first = reader.read(stateText(active), journal);
    for (let other = 0; other < 200; other += 1) reader.read(stateText(active), created(`b${other}`) + say(long));
    const again = reader.read(stateText(active), journal);
    expect(again).not.toBe(first);
    expect(again).toEqual(first);
  });
});

describe('what makes no session', () => {
  const reader = new RecordReader();

  it('is missing where neither string is there, else corrupt', () => {
    expect(reader.read(null, null)).toBe('missing');
    expect(reader.read(stateText(active), null)).toBe('corrupt');
    expect(reader.read(null, created('a'))).toBe('corrupt');
    expect(reader.read(undefined, undefined)).toBe('missing');
    expect(reader.readOf('a', null, null)).toBe('missing');
  });

  it('is missing where a removal has left its mark, with or without a journal', () => {
    expect(reader.read('gone|write-9,', null)).toBe('missing');
    expect(reader.read('gone|write-9,', created('a'))).toBe('missing');
  });

  it('is corrupt under an id that is not its own', () => {
    expect(reader.readOf('a', stateText(active), created('a'))).toBeTypeOf('object');
    expect(reader.readOf('b', stateText(active), created('a'))).toBe('corrupt');
  });
});
