import type { SessionEvent } from './event.js';

const birthOf = (id: string): string => id.slice(0, id.indexOf('.'));

/** What a watcher has seen of its session: told twice is not told, and a number that is left out is missed. */
export class Seen {
  #birth: string | undefined;
  #sequence: number | undefined;

  /** The number of the last change that is known; nothing where none is. */
  get sequence(): number | undefined {
    return this.#sequence;
  }

  /** Begins anew behind a change; the id of its event tells apart sessions that had the same id one after another. */
  reset(sequence: number | undefined, eventId?: string): void {
    this.#birth = eventId === undefined ? undefined : birthOf(eventId);
    this.#sequence = sequence;
  }

  /** Whether an event is `new`, was seen (`old`), or others are missing before it. */
  judge(event: SessionEvent): 'new' | 'old' | 'gap' {
    const birth = birthOf(event.id);
    const isAnother = this.#birth !== undefined && this.#birth !== birth;
    this.#birth = birth;
    const last = isAnother ? 0 : this.#sequence;
    if (last !== undefined && event.sequence <= last) return 'old';
    const isGap = last !== undefined && event.sequence > last + 1;
    if (!isGap) this.#sequence = event.sequence;
    return isGap ? 'gap' : 'new';
  }
}
