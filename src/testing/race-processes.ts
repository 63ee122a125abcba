import type { SessionStore } from '../store/session-store.js';
import { answerOf, expectEqual, repeatUntil } from './answers.js';
import { append, begin, change, remove, tryBegin } from './commits.js';
import { boundedStore } from './opened-store.js';
import { keyOf, upTo } from './samples.js';

/** Starts a process that calls `joinRace` with this ticket. Resolves once the process has ended. */
export type StartProcess = (ticket: string) => Promise<unknown>;

const RACERS = ['1', '2'] as const;
const ROUNDS = 200;
const TIMEOUT_MS = 30_000;

/** How often a process looks for the other process, and the delay between two looks. */
const LOOKS = 1000;
const LOOK_AGAIN_MS = 10;

/** Waits until both processes run, which each shows by a session of its own. */
const meet = (store: SessionStore, race: string, racer: string): Promise<void> =>
  repeatUntil('the other process', LOOKS, async () => {
    await tryBegin(store, keyOf(`${race}-${racer}`));
    const found = await Promise.all(
      RACERS.map((each) => answerOf(store.findState(keyOf(`${race}-${each}`)))),
    );
    if (!found.includes(undefined)) return true;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    return false;
  });

/**
 * The part of one process in the race of `raceProcesses`: appends entries to a session and replaces
 * its state, as often as the other process does and at the same time. Rejects if the store refuses
 * a call, or if it does not show the other process within ten seconds.
 */
export const joinRace = async (store: SessionStore, ticket: string): Promise<void> => {
  const bounded = boundedStore(store, TIMEOUT_MS);
  const [race = '', racer = ''] = ticket.split('/');
  const key = keyOf(race);
  await meet(bounded, race, racer);
  let replaced = 0;
  for (const round of upTo(ROUNDS)) {
    await append(bounded, key, [`${racer} ${round}`]);
    const state = await answerOf(bounded.findState(key));
    if (state === undefined) throw new Error('the session of the race is gone');
    const put = { state: { ...state, revision: state.revision + 1 }, previous: state };
    const guards = { revision: state.revision };
    const changed = await change(bounded, { key, guards, effects: { put, events: [] } });
    if (changed.outcome === 'made') replaced += 1;
  }
  await append(bounded, key, [`${racer} ${replaced}`]);
};

/**
 * Races two processes over one store. Rejects if an append that one of them has made is not stored
 * once and in order, if two replaced the same revision, or if the sequence has a gap. `store` is
 * over the same data as those of the processes, and the race removes what it has stored.
 *
 * ```ts
 * const [, file = '', ticket] = process.argv;
 * if (ticket !== undefined) await joinRace(store, ticket);
 * else await raceProcesses(store, (given) => once(fork(file, [given]), 'exit'));
 * ```
 */
export const raceProcesses = async (
  store: SessionStore,
  startProcess: StartProcess,
): Promise<void> => {
  const bounded = boundedStore(store, TIMEOUT_MS);
  const race = `race-${crypto.randomUUID()}`;
  const key = keyOf(race);
  await begin(bounded, key);
  await Promise.all(RACERS.map((racer) => startProcess(`${race}/${racer}`)));
  const record = await answerOf(bounded.find(key));
  const contents = record?.history.map(({ content }) => content) ?? [];
  let replaced = 0;
  for (const racer of RACERS) {
    const own = contents.flatMap((text) =>
      text.startsWith(`${racer} `) ? [text.slice(racer.length + 1)] : [],
    );
    expectEqual(own.length, ROUNDS + 1, `the number of stored appends of process ${racer}`);
    expectEqual(own.slice(0, ROUNDS), upTo(ROUNDS).map(String), `the appends of process ${racer}`);
    replaced += Number(own.at(-1));
  }
  expectEqual(record?.sequence, 1 + contents.length, 'the sequence of the session');
  expectEqual(record?.state.revision, 1 + replaced, `the revision after ${replaced} replacements`);
  const stored = [race, ...RACERS.map((racer) => `${race}-${racer}`)];
  for (const id of stored) await remove(bounded, keyOf(id));
};
