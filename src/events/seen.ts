import type { SessionEvent } from './event.js';

const birthOf = ({ id }: SessionEvent): string => id.slice(0, id.indexOf('.'));

/** What a watcher has seen of its session: told twice is not told, and a number that is left out is missed. */
export class Seen {
  #birth: string | undefined;
  #sequence: number | undefined;

  /** Whether nothing is known of what there was. */
  get isEmpty(): boolean {
    return this.#sequence === undefined;
  }

  reset(sequence: number): void {
    this.#birth = undefined;
    this.#sequence = sequence;
  }

  /** Whether an event is `new`, was seen (`old`), or others are missing before it. */
  judge(event: SessionEvent): 'new' | 'old' | 'gap' {
    const birth = birthOf(event);
    const isAnother = this.#birth !== undefined && this.#birth !== birth;
    this.#birth = birth;
    const last = isAnother ? 0 : this.#sequence;
    if (last !== undefined && event.sequence <= last) return 'old';
    const isGap = last !== undefined && event.sequence > last + 1;
    if (!isGap) this.#sequence = event.sequence;
    return isGap ? 'gap' : 'new';
  }
}
