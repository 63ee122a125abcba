import type { BodyReading, HandlerRequest } from '../../src/http/session-handler.js';
import { readStream } from '../../src/session/growing-bytes.js';
import { CloseListeners } from './close-listeners.js';

/** The parts of a request that the mount has computed. */
export interface FetchRequestParts {
  /** Path and query, without the prefix. */
  readonly url: string;
  readonly prefix: string;
}

/** A Fetch request as the handler reads it. */
export class FetchRequest implements HandlerRequest {
  readonly url: string;
  readonly prefix: string;
  /** The end of its response. */
  readonly closing = new CloseListeners();
  readonly #request: Request;

  constructor(request: Request, { url, prefix }: FetchRequestParts) {
    this.url = url;
    this.prefix = prefix;
    this.#request = request;
  }

  get method(): string {
    return this.#request.method;
  }

  header(name: string): string | undefined {
    return this.#request.headers.get(name) ?? undefined;
  }

  async body(maxBytes: number): Promise<BodyReading> {
    const { body, bodyUsed } = this.#request;
    if (body === null) return { outcome: 'read', bytes: new Uint8Array() };
    if (bodyUsed || body.locked) return { outcome: 'lost' };
    try {
      const bytes = await readStream(body, maxBytes);
      return bytes ? { outcome: 'read', bytes } : { outcome: 'too_large' };
    } catch {
      return { outcome: 'aborted' };
    }
  }

  onClose(listener: () => void): void {
    this.closing.watch(listener);
  }
}

/** Path and query of a request's URL, unchanged. */
export const pathOf = (url: string): string => {
  const rest = url.replace(/^[a-z][a-z\d+.-]*:\/\/[^/?#]*/i, '').split('#', 1)[0] ?? '';
  return rest.startsWith('/') ? rest : `/${rest}`;
};
