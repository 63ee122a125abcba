import { incarnationOf, isAfter } from '../session/event-position.js';
import type { SessionEvent } from '../session/session-event.js';

/**
 * Maximum number of sessions, at about 150 bytes each. Above it, the one with the oldest event is
 * forgotten.
 */
const MAX_SESSIONS = 10_000;

interface LastChange {
  readonly sequence: number;
  readonly position: string;
  /** Number of gaps in the log before the event. */
  readonly gaps: number;
}

/** The last change of each session that a watcher knows. */
export class LastChanges {
  readonly #known = new Map<string, LastChange>();
  #gaps = 0;

  /**
   * Whether the event is the `next` one of its session, was `seen` before, or comes after a `gap`
   * in its session.
   */
  add({ id, sessionId, sequence, position }: SessionEvent): 'next' | 'seen' | 'gap' {
    const key = `${incarnationOf(id)}/${sessionId}`;
    const last = this.#known.get(key);
    if (last !== undefined && this.#isSeen(last, sequence, position)) return 'seen';
    this.#known.delete(key);
    this.#known.set(key, { sequence, position, gaps: this.#gaps });
    if (this.#known.size > MAX_SESSIONS) {
      const [first] = this.#known.keys();
      if (first !== undefined) this.#known.delete(first);
    }
    const isFirst = last === undefined || last.gaps < this.#gaps;
    return isFirst || sequence === last.sequence + 1 ? 'next' : 'gap';
  }

  /** Takes the next event of any session as it comes, after a gap in the log. */
  passGap(): void {
    this.#gaps += 1;
  }

  /**
   * After a gap, a lower number alone does not tell: a database that was restored from an older
   * copy uses numbers again, at later positions. An event that comes twice has its old position.
   */
  #isSeen(last: LastChange, sequence: number, position: string): boolean {
    if (sequence > last.sequence) return false;
    return last.gaps === this.#gaps || !isAfter(position, last.position);
  }
}
