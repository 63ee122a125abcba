import { err, type Result, ResultAsync } from 'neverthrow';
import { type StoreError, storeUnavailable } from '../session/errors.js';
import { type Fields, isFields } from '../session/fields.js';
import type { Answer, SessionStore } from '../store/session-store.js';
import type { FaultPlan, FaultType } from './fault-plan.js';
import type { LineType } from './trace.js';
import type { Process, World } from './world.js';

/** Maximum simulated milliseconds of a message to the store or back. */
const WAY_MS = 10;
const SLOW_MS = 20_000;
const PAUSE_MS = 60_000;
/** Maximum milliseconds by which a clock is wrong: less than the default `calm`. */
const MAX_SKEW_MS = 60_000;

export interface Surroundings {
  readonly world: World;
  readonly plan: FaultPlan;
  kill(process: Process): void;
}

/** The outcome of a write in a few words; undefined for the answer to a read. */
const outcomeOf = (value: unknown): string | undefined => {
  if (!isFields(value)) return undefined;
  const { outcome, guard } = value;
  if (outcome === 'made' || outcome === 'repeated') return outcome;
  return outcome === 'refused' ? `refused by ${String(guard)}` : undefined;
};

/** What a call does: a change says it by its effects. */
const callOf = (name: string, effects: Fields): string => {
  if (name !== 'change') return name;
  if (effects['put'] !== undefined) return 'put';
  if (effects['redact'] !== undefined) return 'redact';
  return effects['dueAt'] === undefined ? 'append' : 'move';
};

const isLeasing = (event: unknown): boolean =>
  isFields(event) && (event['type'] === 'leased' || event['type'] === 'released');

/** The type of a call: one that only renews, takes or releases a lease is a step. */
const typeOf = ({ put, events }: Fields): LineType => {
  const isStep = put !== undefined && Array.isArray(events) && events.every(isLeasing);
  return isStep ? 'step' : 'change';
};

const seconds = (ms: number): string => `${(Math.abs(ms) / 1000).toFixed(1)} s`;

/** A call of the store, and what goes wrong with it. */
class SimulatedCall {
  readonly #name: string;
  readonly #type: LineType;
  readonly #process: Process;
  readonly #surroundings: Surroundings;
  readonly #id: string;
  readonly #fault: FaultType | undefined;
  /** Whether the fault comes before the store has applied the call. */
  readonly #isBefore: boolean;

  constructor(name: string, type: LineType, process: Process, surroundings: Surroundings) {
    const { id, fault } = surroundings.plan.next(process.host, name);
    this.#name = name;
    this.#type = type;
    this.#process = process;
    this.#surroundings = surroundings;
    this.#id = id;
    this.#fault = fault;
    // Most are lost on the way back, because programs go wrong after a change that was applied and
    // seems not to be.
    this.#isBefore = this.#chance('half') < 0.25;
  }

  answer<T, E>(apply: () => Answer<T, StoreError | E>): ResultAsync<T, StoreError | E> {
    const { world } = this.#surroundings;
    const late = this.#lateMs();
    this.#disturbProcess();
    const [there, back] = this.#isBefore ? [late, 0] : [0, late];
    return new ResultAsync(
      new Promise<Result<T, StoreError | E>>((resolve) => {
        // A call that was sent reaches the store even if the process dies.
        world.schedule(undefined, WAY_MS * this.#chance('there') + there, async () => {
          const result = await this.#result(apply);
          if (result === undefined) return this.#surroundings.kill(this.#process);
          return world.schedule(this.#process, WAY_MS * this.#chance('back') + back, () =>
            resolve(result),
          );
        });
      }),
    );
  }

  /** What the process gets from the store; undefined if it dies. */
  async #result<T, E>(
    apply: () => Answer<T, StoreError | E>,
  ): Promise<Result<T, StoreError | E> | undefined> {
    const fault = this.#fault;
    if (fault === 'crash' && this.#isBefore) return undefined;
    if (fault === 'refused') {
      this.#tellChange('store', `refuses ${this.#call}`);
      return err(storeUnavailable('the store is not there', 'not_applied'));
    }
    if (fault === 'lostReply' && this.#isBefore) {
      this.#tellChange('store', `loses ${this.#call}`);
      return err(storeUnavailable('the call was lost', 'unknown'));
    }
    if (fault === 'lostReply') this.#tellChange('store', `loses the answer to ${this.#call}`);
    const result = await this.#surroundings.world.outside(apply());
    this.#tellOutcome(result);
    if (fault === 'crash') return undefined;
    if (fault === 'lostReply') return err(storeUnavailable('the answer was lost', 'unknown'));
    return result;
  }

  get #call(): string {
    return `${this.#name} of ${this.#process.name}`;
  }

  #chance(what: string): number {
    return this.#surroundings.world.chance(`${this.#id} ${what}`);
  }

  #tellChange(who: string, what: string): void {
    this.#surroundings.world.tell(who, what, 'change');
  }

  #tellOutcome(result: Result<unknown, unknown>): void {
    const { world } = this.#surroundings;
    const outcome = result.map(outcomeOf).unwrapOr(undefined);
    if (outcome === 'made') world.tell('store', `has applied ${this.#call}`, this.#type);
    else if (outcome !== undefined) world.tell('store', `answers ${outcome} to ${this.#call}`);
  }

  #lateMs(): number {
    if (this.#fault !== 'slowStore') return 0;
    const late = SLOW_MS * this.#chance('late');
    this.#tellChange('store', `is slow with ${this.#call}: ${seconds(late)}`);
    return late;
  }

  /** Sets the clock of the process, or suspends it. */
  #disturbProcess(): void {
    const { name } = this.#process;
    if (this.#fault === 'clockJump') {
      // Jumps do not add up: other hosts see a message of a fast clock once theirs reach its time.
      const skew = MAX_SKEW_MS * (2 * this.#chance('jump') - 1);
      const jump = skew - this.#process.skew;
      this.#process.skew = skew;
      const way = jump < 0 ? 'back' : 'forward';
      this.#tellChange(name, `has its clock set ${way} by ${seconds(jump)}`);
    }
    if (this.#fault === 'pause') {
      const pause = PAUSE_MS * this.#chance('pause');
      this.#process.pausedUntil = this.#surroundings.world.now + pause;
      this.#tellChange(name, `stands still for ${seconds(pause)}`);
    }
  }
}

type Send = (
  name: string,
  apply: () => Answer<unknown, StoreError>,
  given: readonly unknown[],
) => ResultAsync<unknown, StoreError>;

/** The methods that answer within the process. */
const localMethods: ReadonlySet<PropertyKey> = new Set([
  'reportsEnds',
  'streamOf',
  'streams',
  'isClosed',
]);

/** A port of the store, of which every call is sent, but for the members in `own`. */
const simulated = <T extends object>(inner: T, prefix: string, send: Send, own: Partial<T>): T =>
  // Not a proxy of the port itself, which may be frozen.
  new Proxy<T>(Object.create(inner), {
    get(_target, name) {
      if (Object.hasOwn(own, name)) return Reflect.get(own, name);
      const method: unknown = Reflect.get(inner, name);
      if (typeof method !== 'function') return method;
      if (localMethods.has(name)) return method.bind(inner);
      return (...given: unknown[]) =>
        send(prefix + String(name), () => method.apply(inner, given), given);
    },
  });

/**
 * The store as a process sees it. The seed determines when each call arrives and when its answer
 * returns, or that it is lost.
 */
export const simulatedStore = (
  inner: SessionStore,
  process: Process,
  surroundings: Surroundings,
): SessionStore => {
  const send: Send = (name, apply, given) => {
    process.tellCall();
    const [commit] = given;
    const effects = isFields(commit) && isFields(commit['effects']) ? commit['effects'] : {};
    const call = new SimulatedCall(callOf(name, effects), typeOf(effects), process, surroundings);
    return call.answer(apply);
  };
  const { events } = inner;
  if (events === undefined) return simulated(inner, '', send, {});
  const { listen } = events;
  const later = (listener: () => void) => () => {
    surroundings.world.schedule(process, WAY_MS, listener);
  };
  const log = simulated(events, 'events.', send, {
    listen: listen && ((listener, stream) => listen.call(events, later(listener), stream)),
  });
  return simulated(inner, '', send, { events: log });
};
