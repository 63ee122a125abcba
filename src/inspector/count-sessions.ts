import { err, ok, ResultAsync } from 'neverthrow';
import { operation } from '../operations/operation.js';
import { list } from '../operations/session-operations.js';
import { list as listOf, object, oneOf, type Shape, text, whole } from '../operations/shape.js';
import type { TenantSessions } from '../operations/tenant-sessions.js';
import type { Fields } from '../session/fields.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { sessionStatuses } from '../session/session-status.js';
import type { SessionCounts, StatusFilter } from './session-counts.js';

const filters: readonly StatusFilter[] = ['', ...sessionStatuses];

const shape: Shape<SessionCounts> = object(
  { counts: listOf(object({ status: oneOf(filters), total: whole() })) },
  { notice: text },
);

const NO_STATUSES = 'This store cannot list by status, so all sessions are shown.';

/**
 * The notice for an error that the same list by any status has; undefined for an error that may
 * pass.
 */
const noticeOf = ({ type, message }: OperationErrors['list']): string | undefined => {
  if (type === 'misconfigured') return NO_STATUSES;
  return type === 'search_too_large' ? message : undefined;
};

const countAll = async (sessions: TenantSessions, query: Fields) => {
  const count = (status: StatusFilter) =>
    sessions.list({ ...query, status: status || undefined, limit: 1, historyLimit: 0 });
  const totals = await Promise.all(
    filters.map(async (status) => (await count(status)).map(({ total }) => ({ status, total }))),
  );
  const [all] = totals;
  if (all?.isErr()) return err(all.error);
  const counts = totals.flatMap((total) => total.unwrapOr([]));
  const error = totals.find((total) => total.isErr())?.error;
  const notice = counts.length === 1 && error && noticeOf(error);
  return ok({ counts, ...(notice && { notice }) });
};

/**
 * Counts the sessions of a list for each filter. It is a request beside that for the list, so that
 * a list never waits for the counts, and is shown where they fail.
 */
export const countSessions = operation({
  ...list,
  name: 'countSessions',
  path: '/counts',
  output: { status: 200, shape },
  calls: {
    method: 'list',
    call: (sessions: TenantSessions, { query }) => new ResultAsync(countAll(sessions, query)),
  },
});
