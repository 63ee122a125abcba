import { err, ok, type Result } from 'neverthrow';
import type { InvalidInput } from '../errors.js';
import { type Answer, answerOf, type Call, decodeId } from '../http/call.js';
import { misconfigured } from '../http/errors.js';
import { commonHeaders } from '../http/problem.js';
import type { TenantHistories, TenantSessions } from '../http/tenant-sessions.js';
import { noRoom, withinBudget } from '../http/within-budget.js';
import { type IssueList, readSafely } from '../input/issues.js';
import { HISTORY_LIMIT } from '../limits.js';
import type { HistoryQuery } from '../service/history.js';

/** Which part of a session's history is asked for. */
export interface HistoryRoute {
  readonly encodedId: string;
  readonly query: string;
}

const hasHistories = (sessions: TenantSessions): sessions is TenantSessions & TenantHistories =>
  typeof Reflect.get(sessions, 'history') === 'function';

const readCount = (issues: IssueList, parameters: URLSearchParams, name: string, least: 0 | 1): number | undefined => {
  const text = parameters.get(name);
  if (text === null) return undefined;
  const count = /^\d{1,15}$/.test(text) ? Number(text) : -1;
  issues.check(count >= least, name, `must be a whole number, at least ${least}, in decimal digits`);
  return count;
};

const readQuery = (query: string): Result<HistoryQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    const parameters = new URLSearchParams(query);
    const after = readCount(issues, parameters, 'after', 0);
    const count = Math.min(
      readCount(issues, parameters, after === undefined ? 'last' : 'limit', 1) ?? HISTORY_LIMIT,
      HISTORY_LIMIT,
    );
    return after === undefined ? { last: count } : { after, limit: count };
  });

/** A part of a history: its last entries, or those behind a position. */
export const history = async (call: Omit<Call, 'route'>, { encodedId, query }: HistoryRoute): Answer => {
  const { sessions } = call;
  if (!hasHistories(sessions)) {
    return err(misconfigured([{ path: 'sessions', message: 'must have history where there is an inspector' }]));
  }
  const id = decodeId(encodedId);
  if (id.isErr()) return err(id.error);
  const part = readQuery(query);
  if (part.isErr()) return err(part.error);
  return withinBudget(call, async ({ admit }) => {
    const found = await answerOf(call, sessions.history(id.value, part.value));
    if (found.isErr()) return err(found.error);
    const { entries, position, hasMore } = found.value;
    const body = JSON.stringify({ entries, position, has_more: hasMore });
    return admit(body.length) ? ok({ status: 200, headers: commonHeaders, body }) : noRoom;
  });
};
