import type { BodyReading, HandlerRequest } from '../../src/http/session-handler.js';
import { readStream } from '../../src/session/read-stream.js';
import type { CloseListeners } from './close-listeners.js';

export interface FetchRequestParts {
  readonly url: string;
  readonly prefix: string;
  readonly closing: CloseListeners;
}

const readBody = async ({ body, bodyUsed }: Request, maxBytes: number): Promise<BodyReading> => {
  if (body === null) return { outcome: 'read', bytes: new Uint8Array() };
  if (bodyUsed || body.locked) return { outcome: 'lost' };
  try {
    const bytes = await readStream(body.getReader(), maxBytes);
    return bytes ? { outcome: 'read', bytes } : { outcome: 'too_large' };
  } catch {
    return { outcome: 'aborted' };
  }
};

export const fetchRequest = (
  request: Request,
  { url, prefix, closing }: FetchRequestParts,
): HandlerRequest => ({
  method: request.method,
  url,
  prefix,
  header: (name) => request.headers.get(name) ?? undefined,
  body: (maxBytes) => readBody(request, maxBytes),
  onClose: (listener) => closing.watch(listener),
});

/** Path and query of a request's URL, unchanged. */
export const pathOf = (url: string): string => {
  const rest = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split('#', 1)[0] ?? '';
  return rest.startsWith('/') ? rest : `/${rest}`;
};
