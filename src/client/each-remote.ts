import { err, type Result, type ResultAsync } from 'neverthrow';
import type { ListQuery } from '../service/list-sessions.js';
import type { RemotePage, RemoteSession } from '../service/remote-results.js';
import { eachInPages, fittingPage } from '../session/each-in-pages.js';
import type { InvalidInput } from '../session/errors.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import type { RemoteErrors } from './client-error.js';
import type { EachPages } from './client-request.js';

export async function* eachRemote<T extends SessionSchemas>(
  first: Result<EachPages, InvalidInput>,
  list: (query: ListQuery) => ResultAsync<RemotePage<T>, RemoteErrors['list']>,
): AsyncGenerator<Result<RemoteSession<T>, RemoteErrors['list']>, void> {
  if (first.isErr()) {
    yield err(first.error);
    return;
  }
  const query = first.value;
  yield* eachInPages(query, (limit, cursor) =>
    fittingPage(limit, (fewer) =>
      list({ ...query, limit: fewer, ...(cursor !== undefined && { cursor }) }),
    ),
  );
}
