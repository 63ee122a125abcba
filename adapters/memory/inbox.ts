import type { MessageEntry, PositionedEntry } from '../../src/session/session.js';
import type { InboxEffects, MessageToStore } from '../../src/store/commit.js';
import type { StoredMessage } from '../../src/store/session-store.js';
import { copyOf } from './history-log.js';

/** Shares no objects with its callers. */
export class Inbox {
  readonly #messages = new Map<string, StoredMessage>();
  /** Oldest first. */
  readonly #waiting = new Map<string, MessageEntry>();

  find(id: string): StoredMessage | undefined {
    return this.#messages.get(id);
  }

  get waiting(): readonly StoredMessage[] {
    return [...this.#waiting.keys()].flatMap((id) => this.#messages.get(id) ?? []);
  }

  send({ entry, digest }: MessageToStore): void {
    const { id } = entry;
    const copy = { ...copyOf(entry), id, message: true } as const;
    this.#messages.set(id, Object.freeze({ id, digest, entry: copy }));
    this.#waiting.set(id, copy);
  }

  /** The oldest messages move to the positions after `end`. */
  take(
    { messages, turn }: NonNullable<InboxEffects['take']>,
    end: number,
  ): readonly PositionedEntry[] {
    const taken = [...this.#waiting.values()].slice(0, messages);
    return taken.map((entry, at) => {
      const position = end + at + 1;
      this.#leave(entry.id, { position });
      return { ...copyOf(entry), turn, position };
    });
  }

  withdraw(ids: readonly string[]): void {
    for (const id of ids) this.#leave(id, {});
  }

  #leave(id: string, place: { readonly position?: number }): void {
    const { digest = '' } = this.#messages.get(id) ?? {};
    this.#messages.set(id, Object.freeze({ id, digest, ...place }));
    this.#waiting.delete(id);
  }
}
