import type { Fields } from '../../src/input/parse-fields.js';
import { misconfigured } from '../../src/session/errors.js';
import type { UnleasedPosition, UnleasedRange } from '../../src/store/session-store.js';
import { escapeName, unescapeName } from '../shared/escape-name.js';
import type { Query } from './page-query.js';

/** The columns and the condition of the index of sessions that nobody holds. */
export const UNLEASED_INDEX = "(tenant, status, unleased_since, id) WHERE status <> 'TERMINATED'";

export const noLeaseIndex = (store: string) => misconfigured(`${store}: unleased needs the option leaseIndex`);

/** The positions of the sessions of a page, and of the next session if there is one, with their numbers. */
export const unleasedPositions = (
  prefix: string,
  tenant: string,
  { status, now, limit, after }: UnleasedRange,
): Query => ({
  sql: `
    SELECT number, tenant, id, unleased_since
    FROM ${prefix}sessions
    WHERE tenant = ? AND status = ? AND status <> 'TERMINATED' AND unleased_since <= ?
      ${after ? 'AND (unleased_since, id) > (?, ?)' : ''}
    ORDER BY unleased_since, id
    LIMIT ?`,
  values: [escapeName(tenant), status, now, ...(after ? [after.since, escapeName(after.id)] : []), limit + 1],
});

/** The position of the next page, if a row follows those of this page. */
export const nextIn = (rows: readonly Fields[], limit: number): { readonly next?: UnleasedPosition } => {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  if (last === undefined) return {};
  return { next: { since: Number(last['unleased_since']), id: unescapeName(String(last['id'])) } };
};
