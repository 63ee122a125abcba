import type { Guards } from '../../store/commit.js';
import type { SessionStore } from '../../store/session-store.js';
import { expectEqual, expectThat } from '../answers.js';
import {
  add,
  addGuarded,
  append,
  appendOf,
  begin,
  change,
  expectSaid,
  expectUnchanged,
  find,
  key,
  MADE,
  made,
  positionsOf,
  put,
  redact,
  refused,
  remove,
  repeated,
  said,
} from '../commits.js';
import { messageOf } from '../inbox-steps.js';
import { ended, keyOf, NOON, operationOf, say, upTo } from '../samples.js';
import type { Cases } from '../store-case.js';

const rewind = (store: SessionStore, truncate: number, contents: readonly string[] = []) =>
  append(store, key, contents, {}, { truncate });

/** A thousand entries are one change, and so is a large one. */
const batches = [['a'], ['b', 'b', ''], upTo(1000).map(String), ['x'.repeat(100_000)], ['c']];

export const historyEffects: Cases = {
  'entries: are stored in the order of the calls, each call together, at rising positions':
    async (store, second) => {
      await begin(store, key);
      let end = 0;
      for (const contents of batches) {
        const position = await append(store, key, contents);
        expectThat(position > end, 'each position is higher than all before it');
        end = position;
      }
      await expectSaid(second, batches.flat());
      const positions = await positionsOf(second);
      expectThat(
        positions.every((position, at) => position > (positions[at - 1] ?? 0)),
        'the positions rise',
      );
      const found = await find(second);
      expectEqual([found?.historyPosition, positions.at(-1)], [end, end], 'the end');
      expectEqual([found?.historyCount, found?.sequence], [1006, 6], 'the counts');
    },
  'truncate: removes later entries from every read, and others follow': async (
    store,
    second,
  ) => {
    await begin(store, key);
    const first = await append(store, key, ['a', 'b']);
    const old = await append(store, key, ['c']);
    const version = (await find(store))?.historyVersion;
    const end = await rewind(store, first, ['d', 'e']);
    expectThat(end > old, 'no position is used twice');
    await expectSaid(second, ['a', 'b', 'd', 'e']);
    const found = await find(second);
    expectEqual([found?.historyCount, found?.historyPosition], [4, end], 'the end');
    expectThat(found?.historyVersion !== version, 'the history has another version');
    await append(store, key, ['f']);
    expectEqual((await find(second))?.historyVersion, found?.historyVersion, 'the version');
  },
  'truncate: empties a history, which continues at a new position':
    async (store) => {
      const { end } = await addGuarded(store);
      const empty = await rewind(store, 0);
      expectThat(empty > end, 'the end is at a new position');
      const found = await find(store);
      expectEqual([found?.historyCount, found?.historyPosition], [0, empty], 'the end');
      const guarded = await append(store, key, ['x'], { end: empty });
      await rewind(store, empty, ['y']);
      await expectSaid(store, ['y']);
      const gone = await change(store, appendOf(key, [], {}, { truncate: guarded }));
      const position = (await find(store))?.historyPosition;
      expectEqual(gone, refused('superseded', { position }), 'the end of x');
    },
  'redact: overwrites the content, id and data of entries, and keeps their positions': async (
    store,
    second,
  ) => {
    await begin(store, key);
    const secret = { ...say('é'.repeat(50_000), 'assistant'), id: 'e', data: { key: 'secret' } };
    await add(store, key, [say('a'), secret, say('c')]);
    const positions = await positionsOf(store);
    const before = await find(store);
    await redact(store, key, positions.slice(1, 2));
    const found = await find(second);
    const history = [say('a'), say('', 'assistant'), say('c')];
    const { historyVersion: version, ...others } = found ?? {};
    expectEqual({ ...before, ...others }, { ...before, history, sequence: 3 }, 'the record');
    expectThat(version !== before?.historyVersion, 'the history has another version');
    expectEqual(await positionsOf(second), positions, 'the positions');
    await put(store, key, ended('failed'));
    await redact(store, key, positions);
    await expectSaid(second, ['', '', ''], 'the history of an ended session');
  },
  'redact: changes nothing if the entries are already redacted': async (store) => {
    const { first } = await addGuarded(store);
    await redact(store, key, [first]);
    await expectUnchanged(store, 'after the redaction of what is redacted', async () => {
      expectEqual(await redact(store, key, [first]), MADE, 'redact');
    });
  },
  'redact: accepts positions of superseded entries, and rewinds still work': async (
    store,
  ) => {
    const { first, superseded, end } = await addGuarded(store);
    await redact(store, key, [superseded, end]);
    await expectSaid(store, ['one', '']);
    await rewind(store, first, ['new']);
    await expectSaid(store, ['one', 'new'], 'after a rewind');
  },
  'redact: overwrites nothing if one position is after the end, or without a session':
    async (store) => {
      const { first, end } = await addGuarded(store);
      await expectUnchanged(store, 'after the refusal', async () => {
        for (const beyond of [end + 1, end + 1_000_000])
          expectEqual(await redact(store, key, [first, beyond]), refused('position'), 'redact');
      });
      await remove(store, key);
      const late = await redact(store, key, [first, end + 1]);
      expectEqual(late, refused('present'), 'after the removal');
    },
  'operation: a repeated change is recognised before any other guard, and changes nothing':
    async (store, second) => {
      const { first: truncate, end } = await addGuarded(store);
      const once = (id: string, contents: readonly string[], guards?: Guards) => {
        const use = { send: { ...messageOf(id), at: NOON, revision: 9 }, activity: NOON + 9 };
        return appendOf(key, contents, { operation: operationOf(id), ...guards }, use);
      };
      const empty = appendOf(key, [], { operation: operationOf('empty') }, { truncate });
      const known = [
        ['op', end],
        ['again', await made(store, once('again', ['x', 'y'], { open: NOON }))],
        ['empty', await made(store, empty)],
      ] as const;
      for (const at of upTo(100)) await append(store, key, [`${at}`]);
      await redact(store, key, await positionsOf(store));
      await put(store, key, ended('failed'));
      await expectUnchanged(second, 'after the repetition', async () => {
        for (const [id, position] of known)
          for (const guards of [{ revision: 4 }, { open: NOON }, { end: 0 }, { entries: 0 }, {}]) {
            const again = await change(second, once(id, ['other'], guards));
            expectEqual(again, repeated(position), JSON.stringify(guards));
          }
      });
    },
  'operation: a refused change leaves its id free': async (store) => {
    await addGuarded(store);
    const operation = operationOf('free');
    for (const guards of [{ end: 0 }, { open: NOON + 1e6 }, { revision: 1 }, { entries: 0 }]) {
      const first = await change(store, appendOf(key, ['x'], { operation, ...guards }));
      expectEqual(first.outcome, 'refused', 'the first time');
    }
    await append(store, key, ['x'], { operation: operationOf('free', 'another-content-') });
  },
  'operation: ids that look alike are different, and so are ids of different sessions': async (
    store,
  ) => {
    const alike = ['a', 'A', 'a ', 'é', 'e\u0301', '1', '01', 'a:b', 'a:bc', '%61'];
    const ids = [...alike, '\u{1F600}', '__proto__'];
    const keys = [key, keyOf('two'), keyOf('one', 'globex')];
    for (const each of keys) await begin(store, each, { entries: [say('a')] });
    for (const each of keys)
      for (const id of ids) await append(store, each, [id], { operation: operationOf(id) });
    for (const each of keys) {
      expectEqual(await said(store, each), ['a', ...ids], 'the history');
      for (const id of ids) {
        const again = appendOf(each, [id], { operation: operationOf(id) });
        expectEqual((await change(store, again)).outcome, 'repeated', JSON.stringify(id));
      }
    }
  },
};
