import { err, ok, type Result } from 'neverthrow';
import { sessions } from '../endpoints/outputs.js';
import { received } from '../schema/wire.js';
import type { RemotePage } from '../service/remote-results.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import { hasMethods } from '../session/fields.js';
import { cancel, readStream } from '../session/read-stream.js';
import type { SessionSchemas } from '../session/session-schemas.js';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** Why a body was not read: it has more than `maxBytes`, or the connection was lost. */
export type BodyFailure =
  | { readonly reason: 'too_large' }
  | { readonly reason: 'lost'; readonly cause: unknown };

const tooLarge = err<never, BodyFailure>({ reason: 'too_large' });

/** A response whose body is a stream of the Fetch standard. */
export type StreamedResponse = Response & { readonly body: ReadableStream<Uint8Array> };

/** React Native has no stream; node-fetch 2 has a stream of Node. */
export const hasStream = (response: Response): response is StreamedResponse =>
  hasMethods(response.body, 'getReader');

/**
 * Reads a body, as text where there is no stream. Rejects if the response cannot be read at all.
 */
const readBody = async (
  response: Response,
  maxBytes: number,
): Promise<Result<Uint8Array | string, BodyFailure>> => {
  const length = Number(response.headers.get('content-length'));
  if (!(length <= maxBytes)) {
    if (hasStream(response)) cancel(response.body);
    return tooLarge;
  }
  if (!hasStream(response)) {
    const text = await response.text();
    return exceedsBytes(text, maxBytes) ? tooLarge : ok(text);
  }
  const reader = response.body.getReader();
  try {
    const bytes = await readStream(reader, maxBytes);
    return bytes ? ok(bytes) : tooLarge;
  } catch (cause) {
    return err({ reason: 'lost', cause });
  }
};

export const parseJson = (json: string | Uint8Array): unknown => {
  try {
    const text =
      typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json);
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

export const readReply = async (
  response: Response,
  maxBytes: number,
): Promise<Result<Reply, BodyFailure>> => {
  const { status, headers } = response;
  const body = await readBody(response, maxBytes);
  return body.map((json) => ({ status, headers, body: parseJson(json) }));
};

const wholeIn = (text: string | null | undefined): number | undefined =>
  text && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

const idsIn = (header: string | null): readonly string[] => {
  if (!header) return [];
  try {
    return header.split(',').map((id) => decodeURIComponent(id.trim()));
  } catch {
    return [];
  }
};

/**
 * Reads a page of a list; undefined if the answer is not from the service. The body is a bare
 * array, so the headers contain the metadata.
 */
export function readPage<T extends SessionSchemas>(reply: Reply): RemotePage<T> | undefined;
export function readPage({ headers, body }: Reply): RemotePage | undefined {
  const found = received(sessions, body);
  const total = wholeIn(headers.get('x-total-count'));
  const limit = wholeIn(/[?&]limit=(\d+)/.exec(headers.get('link') ?? '')?.[1]);
  if (found === undefined || total === undefined || limit === undefined) return undefined;
  const nextCursor = headers.get('x-next-cursor');
  return {
    sessions: found,
    total,
    limit,
    ...(nextCursor && { nextCursor }),
    unreadable: idsIn(headers.get('x-unreadable-sessions')),
    truncated: idsIn(headers.get('x-history-truncated')),
  };
}
