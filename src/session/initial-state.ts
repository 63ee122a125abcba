import type { JsonObject, SessionLabels } from './session.js';
import type { BudgetRecord, SessionTerms, StateRecord, WorkRecord } from './session-record.js';
import { transitions } from './session-status.js';

export interface Beginning {
  /** Maximum milliseconds ACTIVE; `Infinity` for no limit. */
  readonly limitMs: number;
  readonly terms: SessionTerms;
  readonly labels?: SessionLabels | undefined;
  readonly metadata?: JsonObject | undefined;
  readonly budget?: BudgetRecord | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly revision: number;
  /** Whether the session is started immediately, as its second change. Default: false. */
  readonly start?: boolean;
  /** Whether the session waits for a worker from its beginning. Default: false. */
  readonly wake?: boolean;
}

const noOperations: readonly string[] = Object.freeze([]);
const noWork: WorkRecord = Object.freeze({});

/**
 * The state of a new session. Avoids spreads, because they take half as long as the rest of a
 * create.
 */
const idleState = (beginning: Beginning): StateRecord => {
  const { limitMs, terms, labels, metadata, budget, now, revision } = beginning;
  const state = {
    status: 'IDLE' as const,
    revision,
    since: now,
    lastActivityAt: now,
    activeMs: 0,
    limitMs,
    deadline: now + terms.idleTimeoutMs,
    operations: noOperations,
    terms,
    work: noWork,
  };
  if ((labels ?? metadata ?? budget) === undefined) return Object.freeze(state);
  return Object.freeze({
    ...state,
    ...(labels && { labels }),
    ...(metadata && { metadata }),
    ...(budget && { budget }),
  });
};

export const initialState = (beginning: Beginning): StateRecord => {
  const { now, limitMs, start = false, wake = false } = beginning;
  const idle = idleState(beginning);
  if (!start && !wake) return idle;
  const begun = { ...transitions.IDLE.start, startedAt: now, deadline: now + limitMs };
  const work = wake ? Object.freeze({ wakeAt: now }) : noWork;
  return Object.freeze({ ...idle, ...(start && begun), work });
};
