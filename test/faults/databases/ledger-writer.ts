import type { ResultAsync } from 'neverthrow';
import type { SessionError, SessionService } from '../../../src/index.js';
import { idOfIdempotencyKey } from '../../../src/session/ids.js';
import type { Answered, Asked, Outcome } from './ledger.js';

const TRIES = 3;
const DAY = 24 * 60 * 60;

const outcomeOf = (error: SessionError): Outcome => {
  if (error.type === 'store_unavailable') return error.outcome;
  throw new Error(`${error.type}: ${error.message}`);
};

/** The id of the session that all writers of a tenant append to. */
const sharedIdOf = (tenant: string): Promise<string> => idOfIdempotencyKey(tenant, 'shared');

/**
 * Writes to one session after another, and to one that all share, and says before each call what it
 * asks and after it what it was answered. It takes every answer at its word: what has an operation
 * id is sent again a few times, anything else never.
 */
export class LedgerWriter {
  readonly #sessions: SessionService;
  readonly #tenant: string;
  readonly #name: string;
  readonly #random: () => number;
  readonly #say: (said: Asked | Answered) => void;

  constructor(
    sessions: SessionService,
    tenant: string,
    name: string,
    random: () => number,
    say: (said: Asked | Answered) => void,
  ) {
    this.#sessions = sessions.forTenant(tenant);
    this.#tenant = tenant;
    this.#name = name;
    this.#random = random;
    this.#say = say;
  }

  async write(isOver: () => boolean): Promise<void> {
    const shared = await sharedIdOf(this.#tenant);
    while (!isOver() && !(await this.#open(shared, 'shared')));
    for (let life = 1; !isOver(); life += 1)
      await this.#live(`${this.#name}-${life}`, shared, isOver);
  }

  /** Creates and starts a session. Returns whether it certainly is ACTIVE. */
  async #open(id: string, idempotencyKey: string): Promise<boolean> {
    const labels = { key: idempotencyKey.slice(0, 2) };
    const input = { face: 'ada', profile: 'tutor', timeLimit: DAY, labels, idempotencyKey };
    const created = await this.#ask({ id, call: 'create' }, true, () =>
      this.#sessions.create(input),
    );
    return created === 'ok' && (await this.#command(id, 'start', 'start'));
  }

  async #live(key: string, shared: string, isOver: () => boolean): Promise<void> {
    const id = await idOfIdempotencyKey(this.#tenant, key);
    if (!(await this.#open(id, key))) return;
    let isActive = true;
    const turns = 3 + Math.floor(this.#random() * 12);
    for (let turn = 1; turn <= turns && !isOver(); turn += 1) {
      const operationId = this.#random() < 0.6 ? `${key}.${turn}` : undefined;
      const dice = this.#random();
      if (dice < 0.55) await this.#append(id, `${key} ${turn}`, operationId);
      else if (dice < 0.7) await this.#append(shared, `${key} ${turn} to all`, operationId);
      else if (await this.#command(id, isActive ? 'pause' : 'resume', operationId))
        isActive = !isActive;
      else return;
    }
    const dice = this.#random();
    if (dice < 0.4) await this.#ask({ id, call: 'delete' }, true, () => this.#sessions.delete(id));
    else if (dice < 0.7) await this.#command(id, 'terminate', undefined);
  }

  async #append(id: string, content: string, operationId: string | undefined): Promise<void> {
    const entries = [{ role: 'user', content }];
    const options = operationId === undefined ? {} : { operationId };
    const append = () => this.#sessions.append(id, entries, options);
    await this.#ask(
      { id, call: 'append', content, operationId },
      operationId !== undefined,
      append,
    );
  }

  async #command(
    id: string,
    command: 'start' | 'pause' | 'resume' | 'terminate',
    operationId: string | undefined,
  ): Promise<boolean> {
    const options = operationId === undefined ? {} : { operationId };
    const change = () => this.#sessions[command](id, options);
    return (await this.#ask({ id, call: command }, operationId !== undefined, change)) === 'ok';
  }

  async #ask(
    asked: Omit<Asked, 'by' | 'tenant'>,
    isRepeatable: boolean,
    operation: () => ResultAsync<unknown, SessionError>,
  ): Promise<Outcome> {
    const by = this.#name;
    for (let attempt = 1; ; attempt += 1) {
      this.#say({ ...asked, by, tenant: this.#tenant });
      const began = performance.now();
      const answer = await operation();
      const ms = Math.round(performance.now() - began);
      const outcome = answer.match(() => 'ok' as const, outcomeOf);
      this.#say({ by, outcome, ms });
      // A store that answers immediately gives other code no turn.
      await new Promise((resolve) => setImmediate(resolve));
      if (outcome === 'ok' || !isRepeatable || attempt === TRIES) return outcome;
    }
  }
}
