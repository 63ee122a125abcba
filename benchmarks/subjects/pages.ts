import type { Session, SessionService } from '../colloquy.js';
import { expect, must } from './suite.js';

/** The page as the wire has it: what a layout that keeps whole pages would have stored. */
export const pageText = (sessions: readonly Session[]): string =>
  JSON.stringify(
    sessions.map(
      ({ id, status, options: { timeLimit, ...options }, history, createdAt, duration }) => ({
        id,
        status,
        options: { ...options, time_limit: timeLimit },
        history,
        created_at: createdAt,
        duration,
      }),
    ),
  );

/**
 * Pages up to a last one, in an order that neither runs on nor repeats before all were asked for.
 */
export const scattered = (pages: number): (() => number) => {
  let at = 0;
  return () => {
    at = (at + 7919) % pages;
    return at + 1;
  };
};

/**
 * Any page, and never one that was just asked for. Its size is checked each time: a benchmark of
 * nothing would be fast.
 */
export const listing = (
  sessions: SessionService,
  total: number,
  limit: number,
  historyLimit?: number,
) => {
  const next = scattered(total / limit);
  return async (): Promise<readonly Session[]> => {
    const listed = await must(
      sessions.list({
        limit,
        page: next(),
        ...(historyLimit === undefined ? {} : { historyLimit }),
      }),
    );
    expect(listed.sessions.length === limit, `a page of ${limit}`);
    return listed.sessions;
  };
};

/** Total length of all texts of all histories, which needs a look at every entry. */
export const lookAt = (sessions: readonly Pick<Session, 'history'>[]): number => {
  let characters = 0;
  for (const { history } of sessions)
    for (const { content } of history) characters += content.length;
  return characters;
};

/** Sessions as they were seeded. */
export interface Seeded {
  readonly sessions: SessionService;
  readonly total: number;
  readonly entries: number;
}

/** Looks at some pages: whole, no session twice, nothing unreadable, and the right total. */
export const checkSeeded = async (
  { sessions, total, entries }: Seeded,
  pages: readonly number[],
): Promise<void> => {
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
