import type { Result } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { SessionRecord } from '../../src/session/session-record.js';
import type { ClaimedRecords, DueSessions } from '../../src/store/session-store.js';

/** What was read of each session that a claim hands out; undefined if it is there no more. */
export type ClaimReads = readonly Result<SessionRecord | undefined, StoreError>[];

/** The result of a claim: the sessions that it hands out, in their order, with what was read. */
export const claimedRecords = (claimed: DueSessions, reads: ClaimReads): ClaimedRecords => ({
  ...claimed,
  sessions: claimed.sessions.flatMap((session, at) => {
    const record = reads[at]?.unwrapOr(undefined);
    return record === undefined ? [] : [{ ...session, record }];
  }),
  failed: [...claimed.failed, ...reads.flatMap((read) => (read.isErr() ? [read.error] : []))],
});
