import { err, ok } from 'neverthrow';
import type { StoreError } from '../../src/session/errors.js';
import type { UnleasedPage, UnleasedRange } from '../../src/store/session-store.js';
import { unescapeName } from '../shared/escape-name.js';
import { nextIn, unleasedPositions } from '../sql/unleased-positions.js';
import type { Answer, Call } from './call.js';
import { loadSessions, sessionOf } from './load-sessions.js';

/** Reads sessions that nobody holds: first their positions in the index, and then those that still exist. */
export const readUnleased = async (
  call: Call,
  prefix: string,
  tenant: string,
  range: UnleasedRange,
): Answer<UnleasedPage, StoreError> => {
  const positions = await call.query(unleasedPositions(prefix, tenant, range));
  if (positions.isErr()) return err(positions.error);
  const listed = positions.value.slice(0, range.limit);
  if (listed.length === 0) return ok({ records: [], unreadable: [] });
  const source = {
    // One text for any number of sessions, so that the statement is prepared once.
    sql: `SELECT number FROM ${prefix}sessions WHERE number = ANY (string_to_array(?, ',')::bigint[])`,
    values: [listed.map(({ number }) => String(number)).join(',')],
    isWhole: false,
  };
  const light = { historyLimit: 0 };
  const rows = await call.query(loadSessions(prefix, source, light));
  if (rows.isErr()) return err(rows.error);
  const found = new Map(rows.value.map((row) => [String(row['id']), sessionOf(row, light)]));
  const sessions = listed.map(({ id }) => [String(id), found.get(String(id))] as const);
  return ok({
    records: sessions.flatMap(([, session]) => (session?.isOk() ? [session.value] : [])),
    unreadable: sessions.flatMap(([id, session]) => (session?.isErr() ? [unescapeName(id)] : [])),
    ...nextIn(positions.value, range.limit),
  });
};
