import { err, ok, type Result } from 'neverthrow';
import { eachInPages } from '../session/each-in-pages.js';
import { type InvalidInput, misconfigured, type StoreError } from '../session/errors.js';
import type { Session } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { OpenStatus } from '../session/session-status.js';
import type { UnleasedPosition } from '../store/session-store.js';
import type { UnleasedSessions } from './operation-results.js';
import { runOperation } from './run-operation.js';
import type { Settings } from './settings.js';

/** A query for `unleased`. */
export interface UnleasedQuery {
  /** The status of the sessions: `IDLE`, `ACTIVE` or `PAUSED`. */
  readonly status: OpenStatus;
}

/** Number of sessions in one read: small enough that a page without histories is never too large. */
const PAGE = 20;

const noUnleased = misconfigured('the store cannot find sessions that nobody holds: it has no method unleased');

/**
 * A page of the sessions that became free before `begin`. Leaves out those that have changed since they were indexed.
 */
const readPage = async (
  { store, tenant, now }: Settings,
  status: OpenStatus,
  begin: number,
  after: UnleasedPosition | undefined,
): Promise<Result<UnleasedSessions, InvalidInput | StoreError>> => {
  if (store.unleased === undefined) return err(noUnleased);
  const page = await store.unleased(tenant, { status, now: begin, limit: PAGE, after });
  if (page.isErr()) return err(page.error);
  const time = now();
  if (time.isErr()) return err(time.error);
  const { records, ...rest } = page.value;
  const sessions = records.map((record) => sessionAt(record, time.value));
  return ok({
    ...rest,
    sessions: sessions.filter((session) => session.status === status && session.lease === undefined),
  });
};

/**
 * Iterates over the sessions of a status that nobody holds, the longest free first. The first read happens with the
 * first `next`.
 */
export async function* unleasedSessions(
  settings: Settings,
  query: Result<OpenStatus, InvalidInput>,
): AsyncGenerator<Result<Session, InvalidInput | StoreError>, void> {
  // Bounded by its start, so that sessions that are released meanwhile cannot prolong the iteration.
  const begun = query.andThen((status) => settings.now().map((begin) => ({ status, begin })));
  if (begun.isErr()) {
    yield err(begun.error);
    return;
  }
  const { status, begin } = begun.value;
  yield* eachInPages(
    { limit: PAGE },
    (limit, after: UnleasedPosition | undefined) =>
      runOperation(settings, { name: 'unleased', outcome: 'not_applied' }, () =>
        readPage(settings, status, begin, after),
      ).map((page) => ({ ...page, limit })),
    (next, after) => next.since === after?.since && next.id === after.id,
  );
}
