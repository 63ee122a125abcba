import { type RemotePage, sessions } from '../operations/outputs.js';

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

const FIRST_BYTES = 64 * 1024;

/** Cancels a body without waiting for it. Errors are ignored. */
export const cancelBody = (body: { cancel(): Promise<unknown> } | null | undefined): void => {
  (async () => body?.cancel())().catch(() => undefined);
};

const grown = (bytes: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> => {
  if (length <= bytes.length) return bytes;
  const larger = new Uint8Array(Math.max(length, bytes.length * 2));
  larger.set(bytes);
  return larger;
};

/**
 * Reads a body into one buffer; undefined if it has more than `maxBytes`. Keeping each chunk would
 * cost many times the memory if chunks are small.
 */
const readBody = async (
  { headers, body }: Response,
  maxBytes: number,
): Promise<Uint8Array | undefined> => {
  if (Number(headers.get('content-length')) > maxBytes) {
    cancelBody(body);
    return undefined;
  }
  let bytes = new Uint8Array(0);
  if (body === null) return bytes;
  const reader = body.getReader();
  for (let length = 0; ; ) {
    const { done, value } = await reader.read();
    if (done) return bytes.subarray(0, length);
    if (length + value.length > maxBytes) {
      cancelBody(reader);
      return undefined;
    }
    bytes = grown(bytes, Math.min(maxBytes, Math.max(FIRST_BYTES, length + value.length)));
    bytes.set(value, length);
    length += value.length;
  }
};

/** Parses JSON, as text or in UTF-8; undefined for invalid JSON. */
export const parseJson = (json: string | Uint8Array): unknown => {
  try {
    const text =
      typeof json === 'string' ? json : new TextDecoder('utf-8', { fatal: true }).decode(json);
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Reads a response with its body; undefined if that has more than `maxBytes`. */
export const readReply = async (
  response: Response,
  maxBytes: number,
): Promise<Reply | undefined> => {
  const { status, headers } = response;
  const bytes = await readBody(response, maxBytes);
  return bytes && { status, headers, body: parseJson(bytes) };
};

const wholeIn = (text: string | null | undefined): number | undefined =>
  text && /^\d{1,15}$/.test(text) ? Number(text) : undefined;

/** Parses percent-encoded ids, separated by commas. */
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
 * array, so the headers contain the metadata, except the page number, which is in the requested
 * path.
 */
export const readPage = ({ headers, body }: Reply, path: string): RemotePage | undefined => {
  const found = sessions.read(body);
  const total = wholeIn(headers.get('x-total-count'));
  const limit = wholeIn(/[?&]limit=(\d+)/.exec(headers.get('link') ?? '')?.[1]);
  if (found === undefined || total === undefined || limit === undefined) return undefined;
  const requested = new URLSearchParams(path.split('?')[1]);
  const nextCursor = headers.get('x-next-cursor');
  return {
    sessions: found,
    total,
    limit,
    ...(!requested.has('cursor') && { page: wholeIn(requested.get('page')) ?? 1 }),
    ...(nextCursor && { nextCursor }),
    unreadable: idsIn(headers.get('x-unreadable-sessions')),
    truncated: idsIn(headers.get('x-history-truncated')),
  };
};
