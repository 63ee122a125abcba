import { ok, type Result } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { EventPage, SessionEvent } from '../../src/index.js';
import type { EventLog, EventScope, SessionStore } from '../../src/store/session-store.js';
import { changed } from '../support/store-doubles.js';

/** A log whose events the test puts in, or leaves out. */
class ScriptedLog implements EventLog {
  readonly #told: SessionEvent[] = [];
  readonly #listeners = new Set<() => void>();
  #trimmed = 0;
  #ms = Date.now();
  reads = 0;

  tell(...events: readonly SessionEvent[]): void {
    this.put(...events);
    for (const listener of this.#listeners) listener();
  }

  /** Adds events without a notification. */
  put(...events: readonly SessionEvent[]): void {
    for (const event of events) {
      this.#ms += 1;
      this.#told.push({ ...event, position: `${this.#ms}-${this.#told.length + 1}` });
    }
  }

  /** Takes away all but the last events. */
  trim(kept: number): void {
    this.#trimmed = this.#told.length - kept;
  }

  streamOf(): string {
    return 'told';
  }

  latest(): Result<string, never> {
    return ok(this.#told.at(-1)?.position ?? '0');
  }

  now(): Result<number, never> {
    return ok(this.#ms);
  }

  read(_: string, place: string, limit: number, scope?: EventScope): Result<EventPage, never> {
    this.reads += 1;
    const [ms = 0, number = 0] = place.split('-').map(Number);
    const isBehind = ({ position }: SessionEvent): boolean => {
      const [itsMs = 0, itsNumber = 0] = position.split('-').map(Number);
      return itsMs === ms ? itsNumber > number : itsMs > ms;
    };
    const behind = this.#told.filter(isBehind);
    const isTrimmed = this.#told.slice(0, this.#trimmed).some(isBehind);
    const page = behind
      .slice(Math.max(0, this.#trimmed - (this.#told.length - behind.length)))
      .slice(0, limit);
    const events = page.filter(
      ({ sessionId }) => scope?.sessionId === undefined || sessionId === scope.sessionId,
    );
    return ok({ events, position: page.at(-1)?.position ?? place, isTrimmed });
  }

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** A store that makes changes immediately, and logs their events when the test says so. */
export const openScriptedLog = (): {
  readonly store: SessionStore;
  readonly log: ScriptedLog;
  /** The events of what was changed since the last call. */
  made(): readonly SessionEvent[];
} => {
  const inner = new MemorySessionStore({ events: true });
  const log = new ScriptedLog();
  let position = '0';
  return {
    store: changed(inner, { events: log }),
    log,
    made: () => {
      const page = inner.events?.read('', position, 100_000)._unsafeUnwrap();
      position = page?.position ?? position;
      return page?.events ?? [];
    },
  };
};
