import { SessionClient, type SessionClientOptions } from '../../src/client/index.js';

/** A request as a scripted `fetch` gets it. */
export interface Sent {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Headers;
}

export type Answer = (sent: Sent) => Response | Promise<Response>;

/** A clock that advances only when code waits for it. */
class ManualTiming {
  /** The length of each pause, without those that were cancelled. */
  readonly waits: number[] = [];
  #now = Date.UTC(2026, 0, 31, 12);

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  after(ms: number, callback: () => void): () => void {
    let isOver = false;
    // Runs everything that is ready before time passes.
    setImmediate(() => {
      if (isOver) return;
      this.#now += ms;
      this.waits.push(ms);
      callback();
    });
    return () => {
      isOver = true;
    };
  }
}

/** A client whose requests are answered one after the other; the last answer stays. */
export const scripted = (
  answers: readonly Answer[],
  options: Partial<SessionClientOptions> = {},
) => {
  const sent: Sent[] = [];
  const timing = new ManualTiming();
  const client = new SessionClient({
    baseUrl: 'https://sessions.example/api/',
    apiKey: 'key',
    timing,
    fetch: async (url, init) => {
      const request: Sent = { url, init, headers: new Headers(init.headers) };
      sent.push(request);
      const answer = answers[Math.min(sent.length, answers.length) - 1];
      if (answer === undefined) throw new TypeError('no answer');
      return answer(request);
    },
    ...options,
  });
  return { client, sent, timing };
};

const jsonHeaders = { 'Content-Type': 'application/json' };

/** JSON with a status. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    new Response(JSON.stringify(body), { status, headers: { ...jsonHeaders, ...headers } });

/** A problem as the engine writes it. */
export const problem = (
  status: number,
  code: string,
  headers: Readonly<Record<string, string>> = {},
): Answer =>
  json(
    status,
    { type: 'about:blank', title: '', status, detail: `what ${code} says`, code },
    headers,
  );

/** No network. */
export const unplugged: Answer = () => {
  throw new TypeError('fetch failed');
};

/** A state that a command answers with. */
export const active = json(200, {
  id: 's1',
  status: 'ACTIVE',
  duration: 0,
  duration_ms: 0,
  revision: 1,
});
