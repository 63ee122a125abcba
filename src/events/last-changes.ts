import { incarnationOf } from '../session/event-position.js';
import type { SessionEvent } from '../session/session-event.js';

/** Maximum number of sessions, at about 100 bytes each. Above it, the one with the oldest event is forgotten. */
const MAX_SESSIONS = 10_000;

/** The last change of each session that a watcher knows. */
export class LastChanges {
  readonly #sequences = new Map<string, number>();

  /** Whether the event is the `next` one of its session, was `seen` before, or comes after a `gap`. */
  add({ id, sessionId, sequence }: SessionEvent): 'next' | 'seen' | 'gap' {
    const key = `${incarnationOf(id)}/${sessionId}`;
    const last = this.#sequences.get(key);
    if (last !== undefined && sequence <= last) return 'seen';
    this.#sequences.delete(key);
    this.#sequences.set(key, sequence);
    if (this.#sequences.size > MAX_SESSIONS) {
      for (const oldest of this.#sequences.keys()) {
        this.#sequences.delete(oldest);
        break;
      }
    }
    return last === undefined || sequence === last + 1 ? 'next' : 'gap';
  }

  /** Forgets all changes: the next event of each session is then accepted with any sequence. */
  clear(): void {
    this.#sequences.clear();
  }
}
