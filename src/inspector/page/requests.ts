import { percentEncode } from '../../operations/operation.js';
import type { HistoryPart, SessionDetail, SessionRow } from './sessions.js';

/** The result of a request: the value, or an error message. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T; readonly headers: Headers }
  | { readonly ok: false; readonly status: number; readonly message: string };

/** Timeout of a request in milliseconds, longer than that of the handler's store. */
const TIMEOUT_MS = 30_000;

/** A path relative to the page, so that it works under any prefix of the handler. */
const pathOf = (id: string, part = ''): string => `inspector/session/${percentEncode(id)}${part}`;

const reasonOf = async (response: Response): Promise<string> => {
  if (response.status === 401) return 'You are no longer signed in. Reload the page.';
  try {
    const { detail }: { readonly detail?: unknown } = await response.json();
    if (typeof detail === 'string') return detail;
  } catch {
    // A proxy between the browser and the handler has answered in another format.
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

/** Sends a header that other sites cannot make a browser send. */
export const terminate = (id: string): Promise<Outcome<unknown>> =>
  request(`inspector/terminate-session/${percentEncode(id)}`, {
    method: 'POST',
    headers: { 'X-Colloquy-Inspector': '1' },
  });
