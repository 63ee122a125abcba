import type { KeptSession } from './kept-session.js';
import { compare } from './page-of.js';

/** Sessions by their deadlines, the earliest first. */
export const deadlineOrder = (a: KeptSession, b: KeptSession): number =>
  a.state.deadline - b.state.deadline || compare(a.tenant, b.tenant) || compare(a.head.id, b.head.id);

export const isDueBy =
  (now: number) =>
  ({ state }: KeptSession): boolean =>
    state.deadline <= now;
