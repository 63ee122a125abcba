import type { Result } from 'neverthrow';
import type { SessionService } from '../../../src/index.js';
import type { SessionError } from '../../../src/session/errors.js';

/** What one writer knows of its session from its answers. */
export interface Ledger {
  readonly id: string;
  /** Contents of appends that were acknowledged, in this order. */
  readonly acknowledged: readonly string[];
  /** Contents of appends whose outcome is unknown: each is there once or not at all. */
  readonly doubtful: ReadonlySet<string>;
  /** What the status may be: more than one where the last change is in doubt. */
  readonly statuses: ReadonlySet<string>;
  readonly deleted: 'no' | 'yes' | 'in doubt';
}

/** What all writers of a run share. */
export interface Run {
  readonly isOver: () => boolean;
  /** Called for every acknowledged write. */
  readonly count: () => void;
  /** Called with the milliseconds that a call took. */
  readonly took: (ms: number) => void;
}

/**
 * Keeps writing to a session of its own until the run is over: appends with and without names,
 * pauses, resumes, and at times a new session. What has a name is sent again until it is
 * acknowledged.
 */
export class Writer {
  readonly #sessions: SessionService;
  readonly #name: string;
  readonly #run: Run;
  readonly #random: () => number;
  #turn = 0;
  #id = '';
  #acknowledged: string[] = [];
  #doubtful = new Set<string>();
  #statuses = new Set<string>();
  #deleted: Ledger['deleted'] = 'no';
  readonly #ledgers: Ledger[] = [];

  constructor(sessions: SessionService, name: string, run: Run, random: () => number) {
    this.#sessions = sessions;
    this.#name = name;
    this.#run = run;
    this.#random = random;
  }

  async write(): Promise<readonly Ledger[]> {
    while (!this.#run.isOver()) {
      if (!(await this.#begin())) break;
      const turns = 10 + Math.floor(this.#random() * 60);
      for (let turn = 0; turn < turns && !this.#run.isOver(); turn += 1) await this.#act();
      if (this.#random() < 0.3 && !this.#run.isOver()) await this.#delete();
      this.#close();
    }
    return this.#ledgers;
  }

  async #call<T, E extends SessionError>(
    operation: () => PromiseLike<Result<T, E>>,
  ): Promise<Result<T, E>> {
    const began = performance.now();
    const answer = await operation();
    this.#run.took(performance.now() - began);
    if (answer.isOk()) this.#run.count();
    else if (answer.error.type !== 'store_unavailable')
      throw new Error(`${this.#name}: ${answer.error.message}`);
    return answer;
  }

  /** Repeats a call until it is acknowledged or the run is over. */
  async #insist<T, E extends SessionError>(
    operation: () => PromiseLike<Result<T, E>>,
  ): Promise<T | undefined> {
    for (;;) {
      const answer = await this.#call(operation);
      if (answer.isOk()) return answer.value;
      if (this.#run.isOver()) return undefined;
      // On a closed client every call fails immediately, so the code that ends the run must get a
      // turn.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #begin(): Promise<boolean> {
    this.#turn += 1;
    const key = `${this.#name}-${this.#turn}`;
    const input = { face: 'ada', profile: 'tutor', idempotencyKey: key };
    const created = await this.#insist(async () => this.#sessions.create(input));
    if (created === undefined) return false;
    this.#id = created.id;
    this.#acknowledged = [];
    this.#doubtful = new Set();
    this.#deleted = 'no';
    this.#statuses = new Set(['IDLE', 'ACTIVE']);
    const started = await this.#insist(async () =>
      this.#sessions.start(this.#id, { operationId: 'start' }),
    );
    if (started !== undefined) this.#statuses = new Set(['ACTIVE']);
    else this.#close();
    return started !== undefined;
  }

  async #act(): Promise<void> {
    this.#turn += 1;
    const content = `${this.#name} ${this.#turn}`;
    const operationId = `turn-${this.#turn}`;
    const dice = this.#random();
    if (dice < 0.45) await this.#append(content, undefined);
    else if (dice < 0.8) await this.#append(content, operationId);
    else await this.#change(operationId);
  }

  async #append(content: string, operationId: string | undefined): Promise<void> {
    const entries = [{ role: 'user', content }];
    if (operationId !== undefined) {
      const done = await this.#insist(async () =>
        this.#sessions.append(this.#id, entries, { operationId }),
      );
      if (done === undefined) this.#doubtful.add(content);
      else this.#acknowledged.push(content);
      return;
    }
    const answer = await this.#call(async () => this.#sessions.append(this.#id, entries));
    if (answer.isOk()) this.#acknowledged.push(content);
    else if (answer.error.type === 'store_unavailable' && answer.error.outcome === 'unknown')
      this.#doubtful.add(content);
  }

  async #change(operationId: string): Promise<void> {
    const isActive = this.#statuses.has('ACTIVE');
    const before = isActive ? 'ACTIVE' : 'PAUSED';
    const after = isActive ? 'PAUSED' : 'ACTIVE';
    const command = isActive ? 'pause' : 'resume';
    const done = await this.#insist(async () => this.#sessions[command](this.#id, { operationId }));
    this.#statuses = new Set(done === undefined ? [before, after] : [after]);
  }

  async #delete(): Promise<void> {
    this.#deleted = 'in doubt';
    const done = await this.#insist(async () =>
      (await this.#sessions.delete(this.#id)).map(() => true),
    );
    if (done === true) this.#deleted = 'yes';
  }

  #close(): void {
    this.#ledgers.push({
      id: this.#id,
      acknowledged: this.#acknowledged,
      doubtful: this.#doubtful,
      statuses: this.#statuses,
      deleted: this.#deleted,
    });
  }
}
