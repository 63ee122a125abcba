import { expectEqual } from '../expect-equal.js';
import { contentsOf, foundIn, partOf } from '../history-steps.js';
import { expectNone, fork, open, origin, readOf, saying, started } from '../opening-steps.js';
import { race, WRITERS } from '../race.js';
import { positionsIn, rewind } from '../rewind-steps.js';
import { headOf, keyOf, live, NOON, say, upTo } from '../samples.js';
import { answerOf, append, expectStored, insertActive, replacing, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';

/** A fork is an insert of what was read of another session. */
export const forks: readonly StoreCase[] = [
  {
    name: 'fork: it has an origin and what was read of it, and each goes its own way',
    run: async (store) => {
      await insertActive(store, origin);
      const end = await append(store, origin, ['one', 'two', '\u20ac three']);
      const { entries, source } = await readOf(store);
      const head = { ...headOf(fork.id), origin: { id: origin.id, position: end } };
      const opening = { source, entries: [...entries, say('four')] };
      expectEqual(await open(store, opening, started, head), 'inserted', 'insert');
      await expectStored(store, fork, {
        head,
        state: started,
        history: saying('one', 'two', '\u20ac three', 'four'),
      });
      await append(store, origin, ['five']);
      await append(store, fork, ['six']);
      expectEqual(await said(store, origin), ['one', 'two', '\u20ac three', 'five'], 'the origin');
      expectEqual(
        await said(store, fork),
        ['one', 'two', '\u20ac three', 'four', 'six'],
        'the fork',
      );
      await answerOf(store.remove(origin));
      expectEqual(
        (await answerOf(store.find(fork)))?.history.length,
        5,
        'the fork without its origin',
      );
    },
  },
  {
    name: 'fork: appends and changes of the state keep the version of a history',
    run: async (store) => {
      await insertActive(store, origin);
      const opening = await readOf(store);
      for (const turn of upTo(3)) {
        await append(store, origin, [`turn ${turn}`]);
        expectEqual((await readOf(store)).source, opening.source, 'the version after an append');
      }
      await answerOf(replacing(store, origin, live('PAUSED', { revision: 3 })));
      expectEqual(await open(store, opening), 'inserted', 'a fork of what was read before');
      expectEqual(await said(store, fork), [], 'the history of the fork');
    },
  },
  {
    name: 'fork: nothing of a history that was redacted, rewound or deleted since it was read',
    run: async (store) => {
      await insertActive(store, origin);
      await append(store, origin, ['one', 'two']);
      const [first = 0] = await positionsIn(store);
      const changes: readonly [string, () => Promise<unknown>][] = [
        ['a redaction', () => answerOf(store.redact(origin, [first], NOON))],
        ['a rewind', () => rewind(store, first, ['three'])],
        ['a rewind without entries', () => rewind(store, first, [])],
        ['a deletion', () => answerOf(store.remove(origin))],
      ];
      for (const [name, change] of changes) {
        const opening = await readOf(store);
        await change();
        expectEqual(await open(store, opening), 'source_changed', `an insert after ${name}`);
        await expectNone(store);
        if (name !== 'a deletion') continue;
        await insertActive(store, origin);
        expectEqual(
          await open(store, opening),
          'source_changed',
          'an insert after a deletion and a creation',
        );
      }
    },
  },
  {
    name: 'fork: a redaction of what is redacted keeps the version',
    run: async (store) => {
      await insertActive(store, origin);
      await append(store, origin, ['one']);
      const positions = await positionsIn(store);
      await answerOf(store.redact(origin, positions, NOON));
      const opening = await readOf(store);
      await answerOf(store.redact(origin, positions, NOON));
      expectEqual(await open(store, opening), 'inserted', 'a fork');
      expectEqual(await said(store, fork), [''], 'the history of the fork');
    },
  },
  {
    name: 'fork: the read of its origin tells whether a position is superseded',
    run: async (store) => {
      await insertActive(store, origin);
      await append(store, origin, ['one', 'two', 'three']);
      const [one = 0, two = 0, three = 0] = await positionsIn(store);
      const emptied = await rewind(store, two, []);
      await append(store, origin, ['four', 'five']);
      const [, , four = 0, five = 0] = await positionsIn(store);
      const read = async (position: number) => {
        const before = await foundIn(store, { before: position, limit: 10 }, origin);
        const after = await foundIn(store, { after: position, limit: 10 }, origin);
        return [before.isSuperseded, after.isSuperseded];
      };
      for (const position of [0, one, two, emptied, four, five]) {
        expectEqual(await read(position), [false, false], `superseded at ${position}`);
      }
      expectEqual(await read(three), [true, true], `superseded at ${three}`);
      const contents = contentsOf(await partOf(store, { before: emptied, limit: 10 }, origin));
      expectEqual(contents, ['one', 'two'], 'the history up to a rewind');
    },
  },
  {
    name: 'fork: an empty history, and a fork of a fork',
    run: async (store) => {
      await insertActive(store, origin);
      expectEqual(await open(store, await readOf(store)), 'inserted', 'an empty history');
      expectEqual((await answerOf(store.find(fork)))?.sequence, 2, 'the number of changes');
      await append(store, fork, ['hello']);
      await open(store, await readOf(store, fork), live('IDLE'), headOf('two'));
      expectEqual(await said(store, keyOf('two')), ['hello'], 'a fork of the fork');
    },
  },
  {
    name: 'fork: a session that does not exist or belongs to another tenant has changed',
    run: async (store) => {
      await insertActive(store, { tenant: 'another', id: origin.id });
      const { entries, source } = await readOf(store, { tenant: 'another', id: origin.id });
      expectEqual(
        await open(store, { entries, source }),
        'source_changed',
        'a session of another tenant',
      );
      const none = { id: 'none', version: source.version };
      expectEqual(await open(store, { entries, source: none }), 'source_changed', 'no session');
      await expectNone(store);
    },
  },
  {
    name: 'races: appends to its origin do not fail a fork, and nothing that was redacted before it is in it',
    run: async (store, second) => {
      await insertActive(store, origin);
      await append(store, origin, ['secret']);
      const [secret = 0] = await positionsIn(store);
      const opening = await readOf(store);
      const outcomes = await race(store, second, async (each, writer) => {
        if (writer === 0) return answerOf(each.redact(origin, [secret], NOON));
        if (writer % 2 === 0) return append(each, origin, [`${writer}`]);
        return open(each, opening, started, headOf(`fork ${writer}`));
      });
      const forkers = upTo(WRITERS).filter((writer) => writer % 2 === 1);
      const isKnown = forkers.every((writer) =>
        ['inserted', 'source_changed'].includes(String(outcomes[writer])),
      );
      expectEqual(isKnown, true, 'the outcomes of forks are known');
      expectEqual(await open(store, opening), 'source_changed', 'a fork after the redaction');
      const again = await readOf(store);
      await append(store, origin, ['more']);
      expectEqual(await open(store, again), 'inserted', 'a fork of what is there now');
      expectEqual((await said(store, fork))?.[0], '', 'what was redacted');
    },
  },
];
