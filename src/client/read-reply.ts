import { type RemotePage, sessions } from '../operations/outputs.js';
import { cancel, readStream } from '../session/read-stream.js';

/** A complete response. */
export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined if the body is not JSON. */
  readonly body: unknown;
}

/** Reads a body; undefined if it has more than `maxBytes`. */
const readBody = async (
  { headers, body }: Response,
  maxBytes: number,
): Promise<Uint8Array | undefined> => {
  if (body === null) return new Uint8Array();
  if (Number(headers.get('content-length')) <= maxBytes) return readStream(body, maxBytes);
  cancel(body);
  return undefined;
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
