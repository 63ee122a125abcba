import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { type CorruptRecord, corruptRecord } from './errors.js';

interface Page<T, C> {
  readonly sessions: readonly T[];
  readonly limit: number;
  /** Where the next page begins; absent if this is the last. */
  readonly nextCursor?: C;
  readonly unreadable: readonly string[];
}

type Answer<T, E> = Promise<Result<T, E>> | ResultAsync<T, E>;

interface FirstPage<C> {
  readonly limit: number;
  readonly cursor?: C | undefined;
}

/**
 * Reads a page. One that is too large is read again with half the limit, because the caller sees no
 * pages.
 */
export const fittingPage = async <P, E extends { readonly type: string }>(
  limit: number,
  read: (limit: number) => Answer<P, E>,
): Promise<Result<P, E>> => {
  const page = await read(limit);
  if (page.isOk() || page.error.type !== 'page_too_large' || limit <= 1) return page;
  return fittingPage(Math.ceil(limit / 2), read);
};

/**
 * Iterates over the sessions of all pages. A session that cannot be read is an item with a
 * `corrupt_record` error; any other error is the last item. After a page that was read with a
 * smaller limit, the limit grows again. `same` compares two cursors.
 */
export async function* eachInPages<T, E, C = string>(
  { limit: most, cursor: first }: FirstPage<C>,
  readPage: (limit: number, cursor: C | undefined) => Answer<Page<T, C>, E>,
  same: (nextCursor: C, cursor: C | undefined) => boolean = Object.is,
): AsyncGenerator<Result<T, E | CorruptRecord>, void> {
  let limit = most;
  for (let cursor = first; ; ) {
    const page = await readPage(limit, cursor);
    if (page.isErr()) {
      yield err(page.error);
      return;
    }
    const { sessions, unreadable, nextCursor } = page.value;
    for (const session of sessions) yield ok(session);
    for (const id of unreadable) yield err(corruptRecord(id, 'it is missing from its page'));
    // A store or a server that returns the same cursor again would never end the iteration.
    if (nextCursor === undefined || same(nextCursor, cursor)) return;
    cursor = nextCursor;
    limit = Math.min(2 * page.value.limit, most);
  }
}
