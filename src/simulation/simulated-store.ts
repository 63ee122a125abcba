import { err, type Result, ResultAsync } from 'neverthrow';
import { isFields } from '../input/parse-fields.js';
import { type StoreError, storeUnavailable } from '../session/errors.js';
import type { Answer, EventLog, ReplaceOptions, SessionStore } from '../store/session-store.js';
import type { FaultPlan } from './fault-plan.js';
import type { Process } from './process.js';
import type { LineType } from './trace.js';
import type { World } from './world.js';

/** Maximum simulated milliseconds of a message to the store or back. */
const WAY_MS = 10;
const SLOW_MS = 20_000;
const PAUSE_MS = 60_000;
const JUMP_MS = 60_000;

export interface Surroundings {
  readonly world: World;
  readonly plan: FaultPlan;
  /** Ends a process at once. */
  kill(process: Process): void;
}

/** The answers of the store to a write that it has applied. */
const applied: ReadonlySet<unknown> = new Set([
  'inserted',
  'replaced',
  'appended',
  'redacted',
  'removed',
  'moved',
  'settled',
]);

/** The answers of the store to a write that it has not applied. */
const refused: ReadonlySet<unknown> = new Set(['taken', 'stale', 'missing', 'too_many']);

/** The outcome of a write in one word; undefined for the answer to a read. */
const outcomeOf = (value: unknown): string | undefined => {
  if (typeof value === 'string')
    return applied.has(value) || refused.has(value) ? value : undefined;
  if (!isFields(value)) return undefined;
  if ('copied' in value) return 'inserted';
  const { outcome, repeated } = value;
  if (repeated === true) return 'repeated';
  return typeof outcome === 'string' && outcome !== 'found' ? outcome : undefined;
};

/** The type of a replace: a renewed lease has no event. */
const typeOf = ({ event }: ReplaceOptions = {}): LineType =>
  event === undefined || event.type === 'leased' || event.type === 'released' ? 'step' : 'change';

const seconds = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(1)} s`;

/**
 * The store as a process sees it. The seed determines when each call arrives and when its answer
 * returns, or that one is lost.
 */
export const simulatedStore = (
  inner: SessionStore,
  process: Process,
  { world, plan, kill }: Surroundings,
): SessionStore => {
  const tellChange = (who: string, what: string): void => world.tell(who, what, 'change');
  const call = <T, E>(
    name: string,
    apply: () => Answer<T, StoreError | E>,
    type: LineType = 'change',
  ): ResultAsync<T, StoreError | E> => {
    process.tellCall();
    const { id, fault } = plan.next(process.host, name);
    const chance = (what: string): number => world.chance(`${id} ${what}`);
    // Most are lost on the way back: a change that was applied, and seems not to be, is what a
    // program gets wrong.
    const isFirstHalf = chance('half') < 0.25;
    const late = fault === 'slowStore' ? SLOW_MS * chance('late') : 0;
    const there = WAY_MS * chance('there') + (isFirstHalf ? late : 0);
    const back = WAY_MS * chance('back') + (isFirstHalf ? 0 : late);
    if (late > 0) tellChange('store', `is slow with ${name} of ${process.name}: ${seconds(late)}`);
    if (fault === 'clockJump') {
      const jump = JUMP_MS * (2 * chance('jump') - 1);
      process.skew += jump;
      tellChange(
        process.name,
        `has its clock set ${jump < 0 ? 'back' : 'forward'} by ${seconds(jump)}`,
      );
    }
    if (fault === 'pause') {
      const pause = PAUSE_MS * chance('pause');
      process.pausedUntil = world.now + pause;
      tellChange(process.name, `stands still for ${seconds(pause)}`);
    }
    return new ResultAsync(
      new Promise<Result<T, StoreError | E>>((resolve) => {
        const reply = (result: Result<T, StoreError | E>) =>
          world.schedule(process, back, () => resolve(result));
        const fail = (message: string, outcome: 'not_applied' | 'unknown') =>
          reply(err(storeUnavailable(message, outcome)));
        // A call that was sent reaches the store even if the process dies.
        world.schedule(undefined, there, async () => {
          if (fault === 'crash' && isFirstHalf) return kill(process);
          if (fault === 'refused') {
            tellChange('store', `refuses ${name} of ${process.name}`);
            return fail('the store is not there', 'not_applied');
          }
          if (fault === 'lostReply')
            tellChange(
              'store',
              `loses ${isFirstHalf ? '' : 'the answer to '}${name} of ${process.name}`,
            );
          if (fault === 'lostReply' && isFirstHalf) return fail('the call was lost', 'unknown');
          const result = await world.outside(apply());
          const outcome = result.isOk() ? outcomeOf(result.value) : undefined;
          if (applied.has(outcome))
            world.tell('store', `has applied ${name} of ${process.name}`, type);
          else if (outcome !== undefined)
            world.tell('store', `answers ${outcome} to ${name} of ${process.name}`);
          if (fault === 'crash') return kill(process);
          return fault === 'lostReply' ? fail('the answer was lost', 'unknown') : reply(result);
        });
      }),
    );
  };
  const { events } = inner;
  return {
    insert: (...args) => call('insert', () => inner.insert(...args)),
    find: (...args) => call('find', () => inner.find(...args)),
    findState: (key) => call('findState', () => inner.findState(key)),
    list: (...args) => call('list', () => inner.list(...args)),
    replace: (...args) => call('replace', () => inner.replace(...args), typeOf(args[3])),
    append: (key, append) => call('append', () => inner.append(key, append)),
    redact: (...args) => call('redact', () => inner.redact(...args)),
    findEntries: (key, slice) => call('findEntries', () => inner.findEntries(key, slice)),
    remove: (key, removal) => call('remove', () => inner.remove(key, removal)),
    due: (...args) => call('due', () => inner.due(...args)),
    reschedule: (...args) => call('reschedule', () => inner.reschedule(...args)),
    claim: (range) => call('claim', () => inner.claim(range)),
    countWaiting: (range) => call('countWaiting', () => inner.countWaiting(range)),
    ...(events && { events: simulatedLog(events) }),
    reportsEnds: () => inner.reportsEnds(),
  };

  function simulatedLog(log: EventLog): EventLog {
    const { listen, open } = log;
    return {
      ...(open && { open: () => call('events.open', () => open.call(log)) }),
      streamOf: (tenant) => log.streamOf(tenant),
      streams: () => log.streams?.() ?? [],
      latest: (stream) => call('events.latest', () => log.latest(stream)),
      now: (stream) => call('events.now', () => log.now(stream)),
      read: (...args) => call('events.read', () => log.read(...args)),
      ...(listen && {
        listen: (listener, stream) =>
          listen.call(log, () => void world.schedule(process, WAY_MS, listener), stream),
      }),
    };
  }
};
