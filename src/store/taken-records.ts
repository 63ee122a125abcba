import type { Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import type { SessionRecord } from '../session/session-record.js';
import type { DueSessions, TakenRecords } from './session-store.js';

/** What was read of each session that a claim hands out; undefined if it no longer exists. */
export type ClaimReads = readonly Result<SessionRecord | undefined, StoreError>[];

/**
 * The sessions that a claim returns together, among all that it could return, in their order: the
 * first alone if it must be claimed alone, and otherwise all that need not be. `inCompany`: whether
 * the caller has already claimed others.
 */
export const claimedTogether = <T>(
  waiting: readonly T[],
  mustBeAlone: (each: T) => boolean,
  inCompany = false,
): readonly T[] => {
  const [first] = waiting;
  if (first !== undefined && !inCompany && mustBeAlone(first)) return [first];
  return waiting.filter((each) => !mustBeAlone(each));
};

/**
 * Milliseconds after its end in which a session stays in the queue of workers: a clock that is
 * behind may postpone an end by inactivity.
 */
export const ENDED_MS = 60_000;

/** Maximum number of ended sessions that a call takes out of the queue. */
export const ENDED_AT_ONCE = 1000;

/**
 * The last tenant before the first one in turn that was not served; undefined if the first one was
 * not.
 */
export const lastServed = <T>(inTurn: readonly T[], isServed: (tenant: T) => boolean) => {
  const next = inTurn.findIndex((tenant) => !isServed(tenant));
  return inTurn[(next < 0 ? inTurn.length : next) - 1];
};

/** The result of a claim: the sessions that it hands out, in their order, with what was read. */
export const claimedRecords = (claimed: DueSessions, reads: ClaimReads): TakenRecords => ({
  ...claimed,
  sessions: claimed.sessions.flatMap((session, at) => {
    const record = reads[at]?.unwrapOr(undefined);
    return record === undefined ? [] : [{ ...session, record }];
  }),
  failed: [...claimed.failed, ...reads.flatMap((read) => (read.isErr() ? [read.error] : []))],
});
