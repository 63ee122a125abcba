import { compare } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/** When a sweep is to look at a session. Apart from the session, for an index keeps items in mind that it has no more. */
export interface Due {
  readonly at: number;
  readonly session: StoredSession;
}

/** Sessions of a tenant by when they are due, the earliest first. */
export const dueOrder = (a: Due, b: Due): number => a.at - b.at || compare(a.session.head.id, b.session.head.id);

export const isDueBy =
  (now: number) =>
  ({ at }: Due): boolean =>
    at <= now;
