import { unleasedSince } from '../../src/session/lease-state.js';
import type { OpenStatus } from '../../src/session/session-status.js';
import type { UnleasedPosition, UnleasedRange } from '../../src/store/session-store.js';
import { OrderedIndex } from './ordered-index.js';
import { compare } from './page-of.js';
import type { StoredSession } from './stored-session.js';

/** A separate object, because an index may keep references to items that it no longer contains. */
interface Waiting extends UnleasedPosition {
  readonly session: StoredSession;
}

const longestFirst = (a: UnleasedPosition, b: UnleasedPosition): number => a.since - b.since || compare(a.id, b.id);

const waitingIndex = () => new OrderedIndex<Waiting>(longestFirst);

const waitingOf = (session: StoredSession): Waiting => ({
  since: unleasedSince(session.state),
  id: session.head.id,
  session,
});

/** The open sessions of a tenant by the time from which nobody holds them. */
export class UnleasedIndex {
  readonly #byStatus: Readonly<Record<OpenStatus, OrderedIndex<Waiting>>> = {
    IDLE: waitingIndex(),
    ACTIVE: waitingIndex(),
    PAUSED: waitingIndex(),
  };

  add(session: StoredSession): void {
    const { status } = session.state;
    if (status !== 'TERMINATED') this.#byStatus[status].insert(waitingOf(session));
  }

  /** The session must have the state with which it was added. */
  remove(session: StoredSession): void {
    const { status } = session.state;
    if (status !== 'TERMINATED') this.#byStatus[status].remove(waitingOf(session));
  }

  page({ status, now, limit, after }: UnleasedRange): {
    readonly sessions: StoredSession[];
    readonly next?: UnleasedPosition;
  } {
    const index = this.#byStatus[status];
    const start = after === undefined ? 0 : index.leading((item) => longestFirst(item, after) <= 0);
    const end = index.leading(({ since }) => since <= now);
    const items = index.slice(start, Math.min(start + limit, end));
    const last = start + limit < end ? items.at(-1) : undefined;
    return {
      sessions: items.map(({ session }) => session),
      ...(last && { next: { since: last.since, id: last.id } }),
    };
  }
}
