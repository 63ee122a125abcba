import { percentEncode } from '../../operations/percent-encode.js';
import type { HistoryPart, SessionDetail, SessionRow } from './sessions.js';

/** What came of a request: an answer, or why there is none. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly headers: Headers }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** Milliseconds after which a request is given up; the handler gives up on its store before that. */
const TIMEOUT_MS = 30_000;

/** The data is beside the page, whatever prefix the handler is mounted under. */
const pathOf = (id: string, part = ''): string => `inspector/session/${percentEncode(id)}${part}`;

const reasonOf = async (response: Response): Promise<string> => {
  if (response.status === 401) return 'You are not signed in any more: load the page again.';
  try {
    const { detail }: { readonly detail?: unknown } = await response.json();
    if (typeof detail === 'string') return detail;
  } catch {
    // Something between the browser and the handler has answered in its own way.
  }
  return `The server answered with ${response.status}.`;
};

const request = async <T>(path: string, init: RequestInit = {}): Promise<Outcome<T>> => {
  try {
    const response = await fetch(path, { ...init, cache: 'no-store', signal: AbortSignal.timeout(TIMEOUT_MS) });
    if (!response.ok) return { ok: false, status: response.status, message: await reasonOf(response) };
    const value: T = await response.json();
    return { ok: true, value, headers: response.headers };
  } catch {
    return { ok: false, status: 0, message: 'The server cannot be reached.' };
  }
};

export const listSessions = (query: Readonly<Record<string, string>>): Promise<Outcome<readonly SessionRow[]>> =>
  request(`inspector/sessions?${new URLSearchParams(query)}`);

export const getSession = (id: string): Promise<Outcome<SessionDetail>> => request(pathOf(id));

export const getHistory = (id: string, query: string): Promise<Outcome<HistoryPart>> =>
  request(pathOf(id, `/history?${query}`));

export const eventsOf = (id: string): EventSource => new EventSource(pathOf(id, '/events'));

/** With a header that no other site can make a browser send. */
export const terminate = (id: string): Promise<Outcome<unknown>> =>
  request(`inspector/terminate-session/${percentEncode(id)}`, {
    method: 'POST',
    headers: { 'X-Colloquy-Inspector': '1' },
  });
