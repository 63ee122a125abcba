import { compare } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/**
 * When a sweep must process a session. A separate object, because an index may keep references to items that it no
 * longer contains.
 */
export interface Due {
  readonly at: number;
  readonly session: StoredSession;
}

const idOf = ({ session }: Due): string => `${session.removal ?? ''}:${session.head.id}`;

/** Sorts the sessions of a tenant by due time, the earliest first. */
export const dueOrder = (a: Due, b: Due): number => a.at - b.at || compare(idOf(a), idOf(b));

export const isDueBy =
  (now: number) =>
  ({ at }: Due): boolean =>
    at <= now;
