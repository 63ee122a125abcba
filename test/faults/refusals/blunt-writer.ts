import type { ResultAsync } from 'neverthrow';
import type { SessionError, SessionService } from '../../../src/index.js';
import { idOfIdempotencyKey } from '../../../src/session/ids.js';
import type { Ledger } from '../crashes/writer.js';

/** The answers to the writers of one process. */
export interface Answers {
  acknowledged: number;
  notApplied: number;
  unknown: number;
}

/** The word of an answer about a write; anything but this is a failure of the test. */
type Outcome = 'ok' | 'not_applied' | 'unknown';

/** The outcome of a delete that was answered so. */
const gone = { ok: 'yes', not_applied: 'no', unknown: 'in doubt' } as const satisfies Record<
  Outcome,
  Ledger['deleted']
>;

const TRIES = 3;
const DAY = 24 * 60 * 60;

/**
 * Writes to one session after another, and takes every answer at its word: what was `not_applied`
 * must not be there, and is not sent again; what is `unknown` may be there once. Only appends with
 * a name are sent again.
 */
export class BluntWriter {
  readonly #sessions: SessionService;
  readonly #tenant: string;
  readonly #name: string;
  readonly #random: () => number;
  readonly #answers: Answers;
  readonly ledgers: Ledger[] = [];

  constructor(
    sessions: SessionService,
    tenant: string,
    name: string,
    random: () => number,
    answers: Answers,
  ) {
    this.#sessions = sessions.forTenant(tenant);
    this.#tenant = tenant;
    this.#name = name;
    this.#random = random;
    this.#answers = answers;
  }

  async write(isOver: () => boolean): Promise<void> {
    for (let life = 1; !isOver(); life += 1)
      this.ledgers.push(await this.#live(`${this.#name}-${life}`, isOver));
  }

  async #live(idempotencyKey: string, isOver: () => boolean): Promise<Ledger> {
    const sessions = this.#sessions;
    const id = await idOfIdempotencyKey(this.#tenant, idempotencyKey);
    const acknowledged: string[] = [];
    const doubtful = new Set<string>();
    const close = (deleted: Ledger['deleted'], ...statuses: readonly string[]): Ledger => ({
      ...{ id, acknowledged, doubtful, deleted },
      statuses: new Set(statuses),
    });
    const input = { face: 'ada', profile: 'tutor', timeLimit: DAY, idempotencyKey };
    const created = await this.#once(() => sessions.create(input));
    if (created !== 'ok') return close(created === 'unknown' ? 'in doubt' : 'yes', 'IDLE');
    const started = await this.#once(() => sessions.start(id));
    if (started !== 'ok') return close('no', 'IDLE', ...(started === 'unknown' ? ['ACTIVE'] : []));
    let isActive = true;
    const status = () => (isActive ? 'ACTIVE' : 'PAUSED');
    const turns = 3 + Math.floor(this.#random() * 12);
    for (let turn = 1; turn <= turns && !isOver(); turn += 1) {
      if (this.#random() < 0.7)
        await this.#append(id, `${idempotencyKey} ${turn}`, acknowledged, doubtful);
      else {
        const command = isActive ? 'pause' : 'resume';
        const changed = await this.#once(() => sessions[command](id));
        if (changed === 'unknown') return close('no', 'ACTIVE', 'PAUSED');
        if (changed === 'ok') isActive = !isActive;
      }
    }
    const dice = this.#random();
    if (dice < 0.4) {
      const removed = await this.#once(() => sessions.delete(id));
      return close(gone[removed], status());
    }
    if (dice > 0.7) return close('no', status());
    const ended = await this.#once(() => sessions.terminate(id));
    return ended === 'ok'
      ? close('no', 'TERMINATED')
      : close('no', status(), ...(ended === 'unknown' ? ['TERMINATED'] : []));
  }

  async #append(
    id: string,
    content: string,
    acknowledged: string[],
    doubtful: Set<string>,
  ): Promise<void> {
    const entries = [{ role: 'user', content }];
    const named = this.#random() < 0.5 ? { operationId: content.replaceAll(' ', '.') } : undefined;
    for (let attempt = 1; attempt <= (named === undefined ? 1 : TRIES); attempt += 1) {
      const outcome = await this.#once(() => this.#sessions.append(id, entries, named));
      if (outcome === 'unknown') doubtful.add(content);
      if (outcome !== 'ok') continue;
      acknowledged.push(content);
      return;
    }
  }

  async #once<T, E extends SessionError>(operation: () => ResultAsync<T, E>): Promise<Outcome> {
    const answer = await operation();
    if (answer.isOk()) {
      this.#answers.acknowledged += 1;
      return 'ok';
    }
    if (answer.error.type !== 'store_unavailable')
      throw new Error(`${this.#name}: ${answer.error.message}`);
    const { outcome } = answer.error;
    if (outcome === 'unknown') this.#answers.unknown += 1;
    else this.#answers.notApplied += 1;
    return outcome;
  }
}
