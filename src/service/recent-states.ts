import { keyText } from '../session/session-key.js';
import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';

/** Maximum number of states, at about 300 bytes each. Above it, the oldest state is dropped. */
const MAX_STATES = 1000;

/**
 * The states that this process wrote last, so that the next change of the same session needs no
 * read. Another process may have changed the session since, so a state from here is a guess: the
 * store writes a change that is computed from it only if the revision is current, and a refusal is
 * decided again on the stored state.
 */
export class RecentStates {
  readonly #states = new Map<string, StateRecord>();

  /** Removes and returns the state, because the caller will write the next one. */
  take(key: SessionKey): StateRecord | undefined {
    const name = keyText(key);
    const state = this.#states.get(name);
    if (state !== undefined) this.#states.delete(name);
    return state;
  }

  add(key: SessionKey, state: StateRecord): void {
    this.#states.set(keyText(key), state);
    if (this.#states.size <= MAX_STATES) return;
    const [first] = this.#states.keys();
    if (first !== undefined) this.#states.delete(first);
  }
}
