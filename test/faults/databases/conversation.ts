import type { SessionService } from '../../../src/index.js';
import { ada, okOf } from '../../support/sessions.js';

const LIMIT_SECONDS = 24 * 60 * 60;

/** Random changes of a few sessions, one after the other. Every call must succeed. */
export class Conversation {
  readonly #random: () => number;
  readonly #active: string[] = [];
  /** Ids of all sessions that were created and not deleted. */
  readonly ids = new Set<string>();
  /** Ids of deleted sessions. */
  readonly deleted = new Set<string>();
  /** Number of changes that were acknowledged. */
  changes = 0;

  constructor(random: () => number) {
    this.#random = random;
  }

  /** Makes one change, or two for a session that begins. `onChange` is called after each. */
  async step(
    sessions: SessionService,
    onChange: () => Promise<void> = async () => undefined,
  ): Promise<void> {
    const changed = () => {
      this.changes += 1;
      return onChange();
    };
    const at = Math.floor(this.#random() * this.#active.length);
    const id = this.#active[at];
    const dice = this.#random();
    if (id === undefined || dice < 0.15) return this.#begin(sessions, changed);
    if (dice < 0.9) {
      await okOf(sessions.append(id, [{ role: 'user', content: `after ${this.changes} changes` }]));
      return changed();
    }
    this.#active.splice(at, 1);
    if (dice < 0.93) {
      await okOf(sessions.delete(id));
      this.ids.delete(id);
      this.deleted.add(id);
    } else if (dice < 0.96) await okOf(sessions.pause(id));
    else await okOf(sessions.terminate(id));
    return changed();
  }

  async #begin(sessions: SessionService, changed: () => Promise<void>): Promise<void> {
    const { id } = await okOf(
      sessions.create({ ...ada, timeLimit: LIMIT_SECONDS, labels: { key: 'one' } }),
    );
    await changed();
    this.ids.add(id);
    await okOf(sessions.start(id));
    this.#active.push(id);
    await changed();
  }
}
