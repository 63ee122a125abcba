import { err, ok, ResultAsync } from 'neverthrow';
import { served } from '../endpoints/endpoint.js';
import { list } from '../endpoints/session-endpoints.js';
import type { TenantSessions } from '../endpoints/tenant-sessions.js';
import { listFields } from '../input/list-query.js';
import { optional, type Schema } from '../schema/schema.js';
import { anyText, oneOf } from '../schema/values.js';
import { count, wireList, wireObject } from '../schema/wire.js';
import type { Fields } from '../session/fields.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { sessionStatuses } from '../session/session-status.js';
import type { SessionCounts, StatusFilter } from './session-counts.js';

const filters = ['', ...sessionStatuses] as const satisfies readonly StatusFilter[];

const sessionCounts: Schema<SessionCounts> = wireObject({
  counts: wireList(wireObject({ status: oneOf(filters), total: count() })),
  notice: optional(anyText),
});

const { labels, createdAfter, createdBefore } = listFields;

const NO_STATUSES = 'This store cannot list by status, so all sessions are shown.';

/**
 * The notice for an error that every status would cause; undefined for a temporary error.
 */
const noticeOf = ({ type, message }: OperationErrors['list']): string | undefined => {
  if (type === 'misconfigured') return NO_STATUSES;
  return type === 'search_too_large' ? message : undefined;
};

const countAll = async (sessions: TenantSessions, query: Fields) => {
  const countOf = (status: StatusFilter) =>
    sessions.list({ ...query, status: status || undefined, limit: 1, historyLimit: 0 });
  const totals = await Promise.all(
    filters.map(async (status) => (await countOf(status)).map(({ total }) => ({ status, total }))),
  );
  const [all] = totals;
  if (all?.isErr()) return err(all.error);
  const counts = totals.flatMap((total) => total.unwrapOr([]));
  const error = totals.find((total) => total.isErr())?.error;
  const notice = counts.length === 1 && error && noticeOf(error);
  return ok({ counts, ...(notice && { notice }) });
};

/**
 * Counts the sessions of a list for each filter. A separate request, so that the list never waits
 * for the counts, and appears even if they fail.
 */
export const countSessions = served(
  { ...list, path: '/counts', output: { status: 200, body: sessionCounts } },
  {
    name: 'countSessions',
    tag: 'Inspector',
    query: { labels, createdAfter, createdBefore },
    calls: {
      method: 'list',
      call: (sessions: TenantSessions, { query }) => new ResultAsync(countAll(sessions, query)),
    },
  },
);
