import type { HistoryEntry, SessionOptions } from '../session/session.js';
import type { SessionKey } from '../session/session-key.js';
import type { SessionHead, SessionTerms, StateRecord } from '../session/session-record.js';
import type { EndReason } from '../session/session-status.js';

export const NOON = Date.UTC(2026, 0, 31, 12);

export const TENANT = 'acme';

export const keyOf = (id: string, tenant = TENANT): SessionKey => ({ tenant, id });

/** A time that never comes. */
export const NEVER = Number.POSITIVE_INFINITY;

/** The head of a session, created at NOON by default. */
export const headOf = (
  id: string,
  createdMs = NOON,
  options: Partial<SessionOptions> = {},
): SessionHead => ({
  id,
  options: { face: 'ada', profile: 'tutor', behavior: '', context: '', timeLimit: 0, ...options },
  createdAt: new Date(createdMs).toISOString(),
});

type LiveState = Extract<StateRecord, { readonly status: 'IDLE' | 'ACTIVE' | 'PAUSED' }>;
type Phase = Omit<LiveState, 'status'>;

/** Terms without timeouts, retention and grace period. */
export const noTerms: SessionTerms = {
  idleTimeoutMs: NEVER,
  inactivityTimeoutMs: NEVER,
  retentionMs: NEVER,
  graceMs: 0,
};

/** Terms with an inactivity timeout. */
export const endingAfter = (inactivityTimeoutMs: number): SessionTerms => ({
  ...noTerms,
  inactivityTimeoutMs,
});

const phase: Phase = {
  revision: 1,
  since: NOON,
  lastActivityAt: NOON,
  activeMs: 0,
  limitMs: NEVER,
  deadline: NEVER,
  operations: [],
  terms: noTerms,
  work: {},
};

const phaseOf = (changes: Partial<Phase>): Phase => ({
  ...phase,
  ...changes,
  operations: [...(changes.operations ?? [])],
  terms: { ...(changes.terms ?? noTerms) },
  work: { ...changes.work },
});

/** A state that can still change. By default it has revision 1 and no deadline. */
export const live = (status: LiveState['status'], changes: Partial<Phase> = {}): StateRecord => ({
  ...phaseOf(changes),
  status,
});

/** A state that is TERMINATED. */
export const ended = (endReason: EndReason, changes: Partial<Phase> = {}): StateRecord => ({
  ...phaseOf(changes),
  status: 'TERMINATED',
  endReason,
});

export const say = (content: string, role = 'user', spokenMs = NOON): HistoryEntry => ({
  role,
  content,
  timestamp: new Date(spokenMs).toISOString(),
});

/** The digest of most samples, and that of different content. */
export const SAME = 'the-same-content';
export const OTHER = 'another-content-';

export const operationOf = (id: string, digest = SAME) => ({ id, digest });

export const leaseOf = (fencingToken: number, until: number) => ({
  holder: 'w',
  fencingToken,
  takenAt: NOON,
  until,
});

/** 0 to `count - 1`. */
export const upTo = (count: number): readonly number[] =>
  Array.from({ length: count }, (_, index) => index);
