import { err, ok, type Result } from 'neverthrow';

export const sessionStatuses = Object.freeze(['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'] as const);

/** What a session is doing. */
export type SessionStatus = (typeof sessionStatuses)[number];

export const isSessionStatus = (value: unknown): value is SessionStatus =>
  sessionStatuses.some((status) => status === value);

/** What callers can tell a session to do. */
export type CallerCommand = 'start' | 'pause' | 'resume' | 'terminate' | 'fail';

/** What only the engine's own clock tells it: the time limit is used up, or nobody came for too long. */
export type ClockCommand = 'expire' | 'time_out';

export type SessionCommand = CallerCommand | ClockCommand;

export const endReasons = Object.freeze(['terminated', 'failed', 'time_limit', 'idle_timeout'] as const);

/** Why a session is TERMINATED. */
export type EndReason = (typeof endReasons)[number];

export const isEndReason = (value: unknown): value is EndReason => endReasons.some((reason) => reason === value);

/** Where a command leads. */
export type TransitionTarget =
  | { readonly status: 'ACTIVE' | 'PAUSED' }
  | { readonly status: 'TERMINATED'; readonly endReason: EndReason }
  | { readonly unchanged: true };

const to = <S extends 'ACTIVE' | 'PAUSED'>(status: S) => Object.freeze({ status });
const end = <R extends EndReason>(endReason: R) => Object.freeze({ status: 'TERMINATED', endReason } as const);
const unchanged = Object.freeze({ unchanged: true } as const);

type TransitionRow = Readonly<Partial<Record<SessionCommand, TransitionTarget>>>;

const row = <Row extends TransitionRow>(targets: Row) => Object.freeze(targets);

/** The state machine: from a status, by a command, to a target. What is not in the table is not allowed. */
export const transitions = Object.freeze({
  IDLE: row({ start: to('ACTIVE'), terminate: end('terminated'), fail: end('failed'), time_out: end('idle_timeout') }),
  ACTIVE: row({ pause: to('PAUSED'), terminate: end('terminated'), fail: end('failed'), expire: end('time_limit') }),
  PAUSED: row({
    resume: to('ACTIVE'),
    terminate: end('terminated'),
    fail: end('failed'),
    time_out: end('idle_timeout'),
  }),
  TERMINATED: row({ terminate: unchanged }),
}) satisfies Readonly<Record<SessionStatus, TransitionRow>>;

/** What the engine's clock does to a session whose deadline has passed, by its status. */
export const clockCommands = Object.freeze({
  IDLE: 'time_out',
  ACTIVE: 'expire',
  PAUSED: 'time_out',
} as const) satisfies Readonly<Record<Exclude<SessionStatus, 'TERMINATED'>, ClockCommand>>;

/** Whether history entries are accepted: the last words of a transcript may arrive after the hang-up. */
export const acceptsHistory = Object.freeze({
  IDLE: false,
  ACTIVE: true,
  PAUSED: true,
  TERMINATED: false,
}) satisfies Readonly<Record<SessionStatus, boolean>>;

/** The session's status does not allow this. Nothing was changed. */
export interface InvalidTransition {
  readonly type: 'invalid_transition';
  readonly message: string;
  readonly status: SessionStatus;
  readonly command: SessionCommand | 'append';
}

export const invalidTransition = (status: SessionStatus, command: SessionCommand | 'append'): InvalidTransition => ({
  type: 'invalid_transition',
  message: `a session that is ${status} does not allow ${command}`,
  status,
  command,
});

/** Where `command` leads from `from`, by the table. */
export const transition = (
  from: SessionStatus,
  command: SessionCommand,
): Result<TransitionTarget, InvalidTransition> => {
  const targets: TransitionRow = Object.hasOwn(transitions, from) ? transitions[from] : {};
  const target = Object.hasOwn(targets, command) ? targets[command] : undefined;
  return target === undefined ? err(invalidTransition(from, command)) : ok(target);
};
