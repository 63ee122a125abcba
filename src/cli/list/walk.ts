import { err, ok, type Result } from 'neverthrow';
import { cursorOf } from '../../input/cursor.js';
import { PAGE_LIMIT } from '../../limits.js';
import type { Failure } from '../failure.js';
import type { ReadSession, SessionSource } from '../read/source.js';
import type { ListFilter } from './settings.js';

/** How far a list has come. */
export interface Walked {
  readonly shown: number;
  /** How many there are in all, where the source has counted those that were asked for. */
  readonly total: number | undefined;
  /** Where to go on, if there may be more. */
  readonly next: string | undefined;
  /** Sessions that were met, and cannot be read. */
  readonly unreadable: readonly string[];
}

/** Goes through a list until `limit` sessions are shown, or `show` says that nobody looks any more. */
export const walk = async (
  source: SessionSource,
  filter: ListFilter,
  limit: number,
  show: (session: ReadSession) => Promise<boolean>,
): Promise<Result<Walked, Failure>> => {
  const { status, ...others } = filter;
  const mustFilter = status !== undefined && !source.listsByStatus;
  const unreadable: string[] = [];
  let shown = 0;
  for (let { after } = filter; ; ) {
    const query = {
      ...(mustFilter ? others : filter),
      ...(after === undefined ? {} : { after }),
      limit: mustFilter ? PAGE_LIMIT : Math.min(limit - shown, PAGE_LIMIT),
    };
    const page = await source.list(query);
    if (page.isErr()) return err(page.error);
    const { sessions, next, total } = page.value;
    const walked = (from: string | undefined) =>
      ok({ shown, total: mustFilter ? undefined : total, next: from, unreadable });
    unreadable.push(...page.value.unreadable);
    for (const [at, session] of sessions.entries()) {
      if (mustFilter && session.status !== status) continue;
      if (!(await show(session))) return walked(undefined);
      shown += 1;
      if (shown === limit) return walked(mustFilter && at < sessions.length - 1 ? cursorOf(session) : next);
    }
    if (next === undefined) return walked(undefined);
    after = next;
  }
};
