import type { Session, SessionService } from '../colloquy.js';
import { expect, must } from './suite.js';

/** The page as the wire has it: what a layout that keeps whole pages would have stored. */
export const pageText = (sessions: readonly Session[]): string =>
  JSON.stringify(
    sessions.map(({ id, status, options: { timeLimit, ...options }, history, createdAt, duration }) => ({
      id,
      status,
      options: { ...options, time_limit: timeLimit },
      history,
      created_at: createdAt,
      duration,
    })),
  );

/** One page, whose size is checked each time: a benchmark of nothing would be fast. */
export const listing =
  (sessions: SessionService, limit: number, page: () => number = () => 1) =>
  async (): Promise<readonly Session[]> => {
    const listed = await sessions.list({ limit, page: page() });
    if (listed.isErr()) throw new Error(listed.error.message);
    expect(listed.value.sessions.length === limit, `a page of ${limit}`);
    return listed.value.sessions;
  };

/** The same, and every history is looked at. */
export const lookingAt = (list: () => Promise<readonly Session[]>) => async (): Promise<number> => {
  let entries = 0;
  for (const { history } of await list()) entries += history.length;
  return entries;
};

/** Pages up to a last one, in an order that neither repeats soon nor runs on. */
export const scattered = (pages: number): (() => number) => {
  let at = 0;
  return () => {
    at = (at + 7919) % pages;
    return at + 1;
  };
};

/** Sessions as they were seeded. */
export interface Seeded {
  readonly sessions: SessionService;
  readonly total: number;
  readonly entries: number;
}

/** Looks at some pages: whole, no session twice, nothing unreadable, and the right total. */
export const checkSeeded = async ({ sessions, total, entries }: Seeded, pages: readonly number[]): Promise<void> => {
  const seen = new Set<string>();
  for (const page of pages) {
    const listed = await must(sessions.list({ limit: 10, page }));
    expect(listed.total === total && listed.unreadable.length === 0, `a total of ${total}`);
    isPageOf(10, entries)(listed.sessions);
    for (const { id } of listed.sessions) seen.add(id);
  }
  expect(seen.size === pages.length * 10, 'each session on one page only');
};

export const isPageOf =
  (limit: number, entries: number) =>
  (answer: unknown): void => {
    expect(Array.isArray(answer) && answer.length === limit, `a page of ${limit} sessions`);
    const sessions: readonly Session[] = Array.isArray(answer) ? answer : [];
    expect(
      sessions.every(({ history }) => history.length === entries),
      `histories of ${entries} entries`,
    );
  };

/** Without what counts on while a session is live. */
const settled = (text: string): string => text.replaceAll(/"duration":\d+/g, '"duration":0');

/** The very page whose text is `text`. */
export const isPage =
  (text: string) =>
  (answer: unknown): void => {
    const sessions: readonly Session[] = Array.isArray(answer) ? answer : [];
    expect(settled(pageText(sessions)) === settled(text), 'the same bytes');
  };
