import { err, ok, type Result } from 'neverthrow';
import { SessionClient } from '../../client/index.js';
import { type Failure, failure, misuse } from '../failure.js';
import { explain, type ReadChange, reading, type SessionSource, UNTOLD } from './source.js';

/** The longest that a person waits for an answer. */
const PATIENCE_MS = 10_000;

/** The sessions of an API key, from a running service. */
export const openServiceSource = (url: string, apiKey: string): Result<SessionSource, Failure> => {
  const base = URL.canParse(url) ? new URL(url) : undefined;
  if (base === undefined || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    return err(misuse('the URL of the service must be one such as http://127.0.0.1:3000, without a user name'));
  }
  const client = new SessionClient({ baseUrl: url, apiKey, timeoutMs: PATIENCE_MS });
  const place = base.host;
  async function* watch(id: string): AsyncGenerator<Result<ReadChange, Failure>, void> {
    for await (const change of client.watch(id)) {
      yield change.mapErr((error) =>
        error.type === 'route_not_found' ? failure(`${place}: ${UNTOLD}`) : explain(place, error),
      );
    }
  }
  return ok({
    listsByStatus: true,
    ...reading(client, place),
    watch,
    close: async () => undefined,
  });
};
