import type { SessionStore } from '../../store/session-store.js';
import { answerOf } from '../answers.js';
import { append, appendOf, begin, change, made, placed, put, remove, said } from '../commits.js';
import { eventsAfter } from '../event-steps.js';
import { expectEqual, expectThat } from '../expect-equal.js';
import { addGuarded, expectUnchanged, key } from '../guarded.js';
import { ended, keyOf, live, NOON, operationOf, say, upTo } from '../samples.js';
import type { StoreCase } from '../store-case.js';

const find = (store: SessionStore) => answerOf(store.find(key));

const rewind = (store: SessionStore, truncate: number, contents: readonly string[] = []) =>
  append(store, key, contents, {}, { truncate });

const redact = (store: SessionStore, positions: readonly number[]) =>
  change(store, { key, guards: {}, effects: { redact: positions, at: NOON } });

const positionsOf = async (store: SessionStore) =>
  (await placed(store, key)).map(({ position }) => position);

/** A thousand entries are one change, and so is a large one. */
const batches = [['a'], ['b', 'b', ''], upTo(1000).map(String), ['x'.repeat(100_000)], ['c']];

export const historyEffects: readonly StoreCase<SessionStore>[] = [
  {
    name: 'entries: follow in the order of the calls, those of a call together, at rising positions',
    run: async (store, second) => {
      await begin(store, key);
      let end = 0;
      for (const contents of batches) {
        const position = await append(store, key, contents);
        expectThat(position > end, 'each position is higher than all before it');
        end = position;
      }
      expectEqual(await said(second, key), batches.flat(), 'the history');
      const positions = await positionsOf(second);
      expectThat(
        positions.every((position, at) => position > (positions[at - 1] ?? 0)),
        'the positions rise',
      );
      const found = await find(second);
      expectEqual([found?.historyPosition, positions.at(-1)], [end, end], 'the end');
      expectEqual([found?.historyCount, found?.sequence], [1006, 6], 'the counts');
    },
  },
  {
    name: 'entries: keep their role, id, data and time, and a change leaves the state as it is',
    run: async (store) => {
      await begin(store, key);
      const entries = [
        { ...say('a', 'assistant', NOON + 1), id: 'e1', data: { n: [1, { b: null }] } },
        { ...say('b', 'tool'), id: 'only an id' },
        { ...say('c'), data: {} },
      ];
      const { effects, ...rest } = appendOf(key, []);
      await made(store, { ...rest, effects: { ...effects, entries } });
      expectEqual((await find(store))?.history, entries, 'the history');
      expectEqual((await find(store))?.state, live('ACTIVE'), 'the state');
    },
  },
  {
    name: 'truncate: the entries after its position are gone from every read, and others follow',
    run: async (store, second) => {
      await begin(store, key);
      const first = await append(store, key, ['a', 'b']);
      const old = await append(store, key, ['c']);
      const version = (await find(store))?.historyVersion;
      const end = await rewind(store, first, ['d', 'e']);
      expectThat(end > old, 'no position is used twice');
      expectEqual(await said(second, key), ['a', 'b', 'd', 'e'], 'the history');
      const found = await find(second);
      expectEqual([found?.historyCount, found?.historyPosition], [4, end], 'the end');
      expectThat(found?.historyVersion !== version, 'the history has another version');
      await append(store, key, ['f']);
      expectEqual((await find(second))?.historyVersion, found?.historyVersion, 'the version');
    },
  },
  {
    name: 'truncate: to 0 and without entries, the history is empty and continues at a new position',
    run: async (store) => {
      const { end } = await addGuarded(store);
      const empty = await rewind(store, 0);
      expectThat(empty > end, 'the end is at a new position');
      const found = await find(store);
      expectEqual([found?.historyCount, found?.historyPosition], [0, empty], 'the end');
      const guarded = await append(store, key, ['x'], { end: empty });
      await rewind(store, empty, ['y']);
      expectEqual(await said(store, key), ['y'], 'the history');
      const gone = await change(store, appendOf(key, [], {}, { truncate: guarded }));
      const position = (await find(store))?.historyPosition;
      expectEqual(gone, { outcome: 'refused', guard: 'superseded', position }, 'the end of x');
    },
  },
  {
    name: 'redact: overwrites the content, id and data of entries, whose positions stay',
    run: async (store, second) => {
      await begin(store, key);
      const secret = { ...say('é'.repeat(50_000), 'assistant'), id: 'e', data: { key: 'secret' } };
      const { effects, ...rest } = appendOf(key, []);
      const entries = [say('a'), secret, say('c')];
      await made(store, { ...rest, effects: { ...effects, entries } });
      const positions = await positionsOf(store);
      const before = await find(store);
      await redact(store, positions.slice(1, 2));
      const found = await find(second);
      const history = [say('a'), say('', 'assistant'), say('c')];
      const { historyVersion: version, ...others } = found ?? {};
      expectEqual({ ...before, ...others }, { ...before, history, sequence: 3 }, 'the record');
      expectThat(version !== before?.historyVersion, 'the history has another version');
      expectEqual(await positionsOf(second), positions, 'the positions');
      await put(store, key, ended('failed', { revision: 2 }));
      await redact(store, positions);
      expectEqual(await said(second, key), ['', '', ''], 'the history of an ended session');
    },
  },
  {
    name: 'redact: is no change where nothing is left to overwrite',
    run: async (store) => {
      const { first } = await addGuarded(store);
      await redact(store, [first]);
      await expectUnchanged(store, 'after the redaction of what is redacted', async () => {
        expectEqual(await redact(store, [first]), { outcome: 'made', position: 0 }, 'redact');
      });
    },
  },
  {
    name: 'redact: takes the positions of superseded entries, and rewinds work as before',
    run: async (store) => {
      const { first, superseded, end } = await addGuarded(store);
      await redact(store, [superseded, end]);
      expectEqual(await said(store, key), ['one', ''], 'the history');
      await rewind(store, first, ['new']);
      expectEqual(await said(store, key), ['one', 'new'], 'after a rewind');
    },
  },
  {
    name: 'redact: is refused as a whole by position after the end, and by present without a session',
    run: async (store) => {
      const { first, end } = await addGuarded(store);
      await expectUnchanged(store, 'after the refusal', async () => {
        for (const beyond of [end + 1, end + 1_000_000])
          expectEqual(
            await redact(store, [first, beyond]),
            { outcome: 'refused', guard: 'position' },
            'redact',
          );
      });
      await remove(store, key);
      const missing = { outcome: 'refused', guard: 'present' };
      expectEqual(await redact(store, [first, end + 1]), missing, 'after the removal');
    },
  },
  {
    name: 'operation: a repeated change is recognised before every other guard, and changes nothing',
    run: async (store, second) => {
      await addGuarded(store);
      const operation = operationOf('again');
      const use = { wake: { at: NOON, revision: 9 }, activity: NOON + 9 };
      const position = await append(store, key, ['x', 'y'], { operation, open: NOON }, use);
      for (const at of upTo(100)) await append(store, key, [`${at}`]);
      await redact(store, await positionsOf(store));
      await put(store, key, ended('failed', { revision: 10 }));
      await expectUnchanged(second, 'after the repetition', async () => {
        const repeated = { outcome: 'repeated', position };
        const failing = [{ revision: 4 }, { open: NOON }, { end: 0 }, { entries: 0 }, {}];
        for (const guards of failing) {
          const again = appendOf(key, ['other'], { operation, ...guards }, use);
          expectEqual(await change(second, again), repeated, JSON.stringify(guards));
        }
      });
    },
  },
  {
    name: 'operation: a repeated rewind is recognised, with entries and without',
    run: async (store) => {
      const { first } = await addGuarded(store);
      for (const contents of [['x'], []]) {
        const operation = operationOf(`rewind ${contents.length}`);
        const commit = appendOf(key, contents, { operation }, { truncate: first });
        const position = await made(store, commit);
        await append(store, key, ['later']);
        const repeated = { outcome: 'repeated', position };
        expectEqual(await change(store, commit), repeated, 'the answer');
        expectEqual((await said(store, key))?.at(-1), 'later', 'the history');
      }
    },
  },
  {
    name: 'operation: a refused change leaves its id free',
    run: async (store) => {
      await addGuarded(store);
      const operation = operationOf('free');
      for (const guards of [{ end: 0 }, { open: NOON + 1e6 }, { revision: 1 }, { entries: 0 }]) {
        const refused = await change(store, appendOf(key, ['x'], { operation, ...guards }));
        expectEqual(refused.outcome, 'refused', 'the first time');
      }
      await append(store, key, ['x'], { operation: operationOf('free', 'another-content-') });
    },
  },
  {
    name: 'operation: ids that look alike, and those of other sessions, are different operations',
    run: async (store) => {
      const ids = [
        'a',
        'A',
        'a ',
        'é',
        'e\u0301',
        '1',
        '01',
        'a:b',
        '%61',
        '\u{1F600}',
        '__proto__',
      ];
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
  },
];

/** For stores with events. */
export const historyEvents: readonly StoreCase<SessionStore>[] = [
  {
    name: 'events: an append has the positions around its entries, and a rewind that to which it went',
    run: async (store) => {
      await begin(store, key);
      const first = await append(store, key, ['a']);
      const events = [{ type: 'appended' as const, at: NOON, after: first }];
      const second = await append(store, key, ['b', 'c']);
      const end = await append(store, key, ['d'], {}, { truncate: first, events });
      const logged = (await eventsAfter(store, '0')).slice(1);
      const parts = [
        { start: 0, historyPosition: first },
        { start: first, historyPosition: second },
        { start: second, historyPosition: end, rewoundTo: first },
      ];
      for (const [at, part] of parts.entries())
        expectEqual({ ...logged[at], ...part }, logged[at], `event ${at}`);
    },
  },
  {
    name: 'events: a redaction has its positions, and a repeated change has no event',
    run: async (store) => {
      const { first, end } = await addGuarded(store);
      for (const _ of upTo(2)) await redact(store, [first, end]);
      await change(store, appendOf(key, ['three'], { operation: operationOf('op') }));
      const [, , event, ...others] = await eventsAfter(store, '0');
      const redacted = { type: 'session.redacted', positions: [first, end], sequence: 3 };
      expectEqual({ ...event, ...redacted }, event, 'the event');
      expectEqual(others, [], 'other events');
    },
  },
];
