import type { ResultAsync } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionServiceOptions } from '../../src/service/service-options.js';
import { SessionService } from '../../src/service/session-service.js';
import type { CallbackFailed, SessionError } from '../../src/session/errors.js';
import type { Ids } from '../../src/session/ids.js';
import { ManualClock } from './manual-clock.js';

/** `s1`, `s2` and so on. */
export const countingIds = (): Ids => {
  let count = 0;
  return {
    next: () => {
      count += 1;
      return `s${count}`;
    },
  };
};

/** Options of a service, and whether the memory store below it reports ends. */
export type OpenOptions = Partial<SessionServiceOptions> & { readonly reportEnds?: boolean };

/** A service on a memory store, with a clock that the test moves. */
export const openSessions = ({ reportEnds = false, ...options }: OpenOptions = {}) => {
  const clock = new ManualClock();
  const store = options.store ?? new MemorySessionStore({ reportEnds });
  const sessions = new SessionService({ clock, ids: countingIds(), ...options, store });
  return { sessions, store, clock };
};

/** The required input of `create`. */
export const ada = Object.freeze({ face: 'ada', profile: 'tutor' });

export interface Failure {
  readonly type: string;
  readonly message: string;
}

export const okOf = async <T>(operation: ResultAsync<T, Failure>): Promise<T> => {
  const result = await operation;
  if (result.isOk()) return result.value;
  throw new Error(`${result.error.type}: ${result.error.message}`, { cause: result.error });
};

export const errorOf = async <E extends Failure>(
  operation: ResultAsync<unknown, E>,
): Promise<E> => {
  const result = await operation;
  if (result.isErr()) return result.error;
  throw new Error(`succeeded with ${JSON.stringify(result.value)}`);
};

/** Creates a session and returns its id. */
export const createdIn = async (
  sessions: SessionService,
  input: { readonly timeLimit?: number } = {},
) => (await okOf(sessions.create({ ...ada, ...input }))).id;

export const startedIn = async (
  sessions: SessionService,
  input: { readonly timeLimit?: number } = {},
) => {
  const id = await createdIn(sessions, input);
  await okOf(sessions.start(id));
  return id;
};

export type Operation = Exclude<
  keyof SessionService,
  'forTenant' | 'within' | 'policy' | 'clock' | 'orThrow'
>;

/** Calls an operation like untyped JavaScript: with any number of arguments of any type. */
export const call = (
  sessions: SessionService,
  operation: Operation,
  ...args: readonly unknown[]
): ResultAsync<unknown, SessionError | CallbackFailed> =>
  Reflect.apply(sessions[operation], sessions, args);
