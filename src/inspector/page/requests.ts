import { percentEncode } from '../../endpoints/endpoint.js';
import type { Message } from '../../session/message.js';
import type { SessionCounts } from '../session-counts.js';
import { readServerClock } from './server-clock.js';
import type { HistoryPart, SessionDetail, SessionPage, SessionRow } from './session-row.js';

/** The result of a request: the value, or an error message. */
export type Outcome<T> =
  | { readonly ok: true; readonly value: T }
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

const asIs = <T>(value: T): T => value;

const request = async <T, U = T>(
  path: string,
  read: (value: T, headers: Headers) => U,
  init: RequestInit = {},
): Promise<Outcome<U>> => {
  try {
    const response = await fetch(path, {
      ...init,
      cache: 'no-store',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    readServerClock(response.headers);
    if (!response.ok)
      return { ok: false, status: response.status, message: await reasonOf(response) };
    const value: T = JSON.parse((await response.text()) || 'null');
    return { ok: true, value: read(value, response.headers) };
  } catch {
    return { ok: false, status: 0, message: 'The server cannot be reached.' };
  }
};

const pageOf = (sessions: readonly SessionRow[], headers: Headers): SessionPage => ({
  sessions,
  total: Number(headers.get('x-total-count')),
  next: headers.get('x-next-cursor') ?? undefined,
  unreadable: headers.get('x-unreadable-sessions')?.split(',').length ?? 0,
});

/** The query parameters of a list; a label may be repeated. */
export type ListQuery = Readonly<Record<string, string | readonly string[]>>;

const parametersOf = (query: ListQuery): URLSearchParams =>
  new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) => [value].flat().map((text) => [name, text])),
  );

export const listSessions = (query: ListQuery): Promise<Outcome<SessionPage>> =>
  request(`inspector/sessions?${parametersOf(query)}`, pageOf);

export const countSessions = (query: ListQuery): Promise<Outcome<SessionCounts>> =>
  request(`inspector/counts?${parametersOf(query)}`, asIs<SessionCounts>);

export const getSession = (id: string): Promise<Outcome<SessionDetail>> =>
  request(pathOf(id), asIs<SessionDetail>);

export const getHistory = (id: string, query: string): Promise<Outcome<HistoryPart>> =>
  request(pathOf(id, `/history?${query}`), asIs<HistoryPart>);

export const getInbox = (id: string): Promise<Outcome<readonly Message[]>> =>
  request(pathOf(id, '/inbox'), asIs<readonly Message[]>);

export const eventsOf = (id: string): EventSource => new EventSource(pathOf(id, '/events'));

export const listEvents = (): EventSource => new EventSource('inspector/events');

/** Sends a header that other sites cannot make a browser send. */
export const post = (
  command: 'terminate-session' | 'cancel-work' | 'withdraw-messages',
  id: string,
  body: object = {},
): Promise<Outcome<unknown>> =>
  request(`inspector/${command}/${percentEncode(id)}`, asIs<unknown>, {
    method: 'POST',
    headers: { 'X-Colloquy-Inspector': '1', 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
