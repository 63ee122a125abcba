import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { corruptRecord, type InvalidInput } from '../errors.js';
import { readSafely } from '../input/read-safely.js';
import { isFields } from '../input/values.js';
import type { RemotePage, RemoteSession } from '../operations/outputs.js';
import type { EachQuery, ListQuery } from '../service/list-sessions.js';
import { PAGE_LIMIT } from '../session/session-limits.js';
import type { RemoteListError } from './call-error.js';

type List = (query: ListQuery) => ResultAsync<RemotePage, RemoteListError>;

/** Copies the query, so that later changes by the caller have no effect. */
const readQuery = (query: unknown): Result<ListQuery, InvalidInput> =>
  readSafely('query', (issues) => {
    issues.check(isFields(query), 'query', 'must be an object');
    const fields = isFields(query) ? query : {};
    issues.check(fields['page'] === undefined, 'page', 'is not for a walk over all pages');
    return { limit: PAGE_LIMIT, ...fields };
  });

async function* walk(list: List, query: ListQuery): AsyncGenerator<Result<RemoteSession, RemoteListError>, void> {
  for (let { after } = query; ; ) {
    const page = await list(after === undefined ? query : { ...query, after });
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    const { sessions, unreadable, next } = page.value;
    for (const session of sessions) yield ok(session);
    for (const id of unreadable) yield err(corruptRecord(id, 'it is left out of its page'));
    // A server that returns the same cursor again would never end the iteration.
    if (next === undefined || next === after) return;
    after = next;
  }
}

async function* refuse(error: InvalidInput): AsyncGenerator<Result<never, InvalidInput>, void> {
  yield err(error);
}

/** Iterates over all sessions, page by page. Reads the query now, and requests the first page with the first `next`. */
export const eachRemote = (list: List, query: EachQuery): AsyncIterable<Result<RemoteSession, RemoteListError>> =>
  readQuery(query).match<AsyncIterable<Result<RemoteSession, RemoteListError>>>((read) => walk(list, read), refuse);
