import type { StateRecord } from '../session/session-record.js';
import type { SessionKey } from '../store/session-store.js';

/** Maximum number of states, at about 300 bytes each. Beyond it, the one that was written longest ago is dropped. */
const MAX_STATES = 1000;

const nameOf = ({ tenant, id }: SessionKey): string => `${tenant.length}:${tenant}${id}`;

/**
 * The states that this process wrote last. Another process may have changed a session since, so a state from here is a
 * guess: a change that is computed from it is written only if the store finds its revision, and a refusal that is computed
 * from it is decided again on what the store has. It saves a change of such a session the read before.
 */
export class RecentStates {
  readonly #states = new Map<string, StateRecord>();

  /** The state, once: whoever takes it writes the next one. */
  take(key: SessionKey): StateRecord | undefined {
    const name = nameOf(key);
    const state = this.#states.get(name);
    if (state !== undefined) this.#states.delete(name);
    return state;
  }

  add(key: SessionKey, state: StateRecord): void {
    this.#states.set(nameOf(key), state);
    if (this.#states.size <= MAX_STATES) return;
    const [first] = this.#states.keys();
    if (first !== undefined) this.#states.delete(first);
  }
}
