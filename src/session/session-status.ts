import type { TypedError } from './typed-error.js';

export const sessionStatuses = Object.freeze(['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'] as const);

/** The status of a session. */
export type SessionStatus = (typeof sessionStatuses)[number];

export const isSessionStatus = (value: unknown): value is SessionStatus =>
  sessionStatuses.some((status) => status === value);

/** Commands with which callers change the status. */
export type CallerCommand = 'start' | 'pause' | 'resume' | 'terminate' | 'fail';

/**
 * Commands that no caller gives: `expire` at the time limit, `time_out` at the idle or the
 * inactivity timeout, `use_up` when a counter reaches its budget.
 */
export type ClockCommand = 'expire' | 'time_out' | 'use_up';

export type StatusCommand = CallerCommand | ClockCommand;

/** All commands. `extend` changes the time limit, and keeps the status. */
export type SessionCommand = StatusCommand | 'extend';

export const endReasons = Object.freeze([
  'terminated',
  'failed',
  'time_limit',
  'idle_timeout',
  'inactive',
  'budget',
] as const);

/** Why a session is TERMINATED. */
export type EndReason = (typeof endReasons)[number];

export const isEndReason = (value: unknown): value is EndReason =>
  endReasons.some((reason) => reason === value);

/** The result of a transition. */
export type TransitionTarget =
  | { readonly status: 'IDLE' | 'ACTIVE' | 'PAUSED' }
  | { readonly status: 'TERMINATED'; readonly endReason: EndReason }
  | { readonly unchanged: true };

// Marked as pure, so that a bundle of the client omits the transitions.

/* @__NO_SIDE_EFFECTS__ */
const to = <S extends 'IDLE' | 'ACTIVE' | 'PAUSED'>(status: S) => Object.freeze({ status });
/* @__NO_SIDE_EFFECTS__ */
const end = <R extends EndReason>(endReason: R) =>
  Object.freeze({ status: 'TERMINATED', endReason } as const);
const unchanged = /* @__PURE__ */ Object.freeze({ unchanged: true } as const);

export type TransitionRow = Readonly<Partial<Record<SessionCommand, TransitionTarget>>>;

/* @__NO_SIDE_EFFECTS__ */
const row = <Row extends TransitionRow>(targets: Row) => Object.freeze(targets);

/**
 * The state machine: status, command, target. A command that is not listed for a status is not
 * allowed in it.
 */
export const transitions = /* @__PURE__ */ Object.freeze({
  IDLE: row({
    start: to('ACTIVE'),
    extend: to('IDLE'),
    terminate: end('terminated'),
    fail: end('failed'),
    time_out: end('idle_timeout'),
    use_up: end('budget'),
  }),
  ACTIVE: row({
    pause: to('PAUSED'),
    extend: to('ACTIVE'),
    terminate: end('terminated'),
    fail: end('failed'),
    expire: end('time_limit'),
    time_out: end('inactive'),
    use_up: end('budget'),
  }),
  PAUSED: row({
    resume: to('ACTIVE'),
    extend: to('PAUSED'),
    terminate: end('terminated'),
    fail: end('failed'),
    time_out: end('idle_timeout'),
    use_up: end('budget'),
  }),
  TERMINATED: row({ terminate: unchanged }),
}) satisfies Readonly<Record<SessionStatus, TransitionRow>>;

/** The command that is due at the deadline, by status. */
export const clockCommands = /* @__PURE__ */ Object.freeze({
  IDLE: 'time_out',
  ACTIVE: 'expire',
  PAUSED: 'time_out',
} as const) satisfies Readonly<Record<Exclude<SessionStatus, 'TERMINATED'>, ClockCommand>>;

/**
 * Whether a session in a status accepts history entries. PAUSED does, because a transcript may
 * arrive late.
 */
export const acceptsHistory = /* @__PURE__ */ Object.freeze({
  IDLE: false,
  ACTIVE: true,
  PAUSED: true,
  TERMINATED: false,
}) satisfies Readonly<Record<SessionStatus, boolean>>;

/** The status of the session does not allow the command. Nothing was changed. */
export interface InvalidTransition extends TypedError<'invalid_transition'> {
  /** The status of the session. */
  readonly status: SessionStatus;
  /** The command that the status does not allow. */
  readonly command:
    | SessionCommand
    | 'append'
    | 'rewind'
    | 'send'
    | 'take'
    | 'lease'
    | 'wake'
    | 'cancel'
    | 'spend';
}

export const invalidTransition = (
  status: SessionStatus,
  command: InvalidTransition['command'],
): InvalidTransition => ({
  type: 'invalid_transition',
  message: `a session that is ${status} does not allow ${command}`,
  status,
  command,
});
