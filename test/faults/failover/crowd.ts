import { onTestFinished } from 'vitest';
import type { RedisSessionStore } from '../../../adapters/redis/index.js';
import { SessionService } from '../../../src/index.js';
import type { SessionStore } from '../../../src/store/session-store.js';
import { upTo } from '../../../src/testing/samples.js';
import { randomFrom } from '../../support/random.js';
import { okOf } from '../../support/sessions.js';
import { audit } from '../crashes/audit.js';
import { type Ledger, type Run, Writer } from '../crashes/writer.js';
import { WatchedSessions } from './sessions.js';

/** What happened to everything that a crowd was answered. */
export interface Findings {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  /** What no loss explains: entries that nobody has written, and sessions that are listed twice. */
  readonly impossible: readonly string[];
  /**
   * What a loss does explain: order, statuses, lists and deletions that are not as acknowledged.
   */
  readonly astray: readonly string[];
  /**
   * How many sessions some index lacks. What a server forgets, it forgets from the end: the entries
   * came before.
   */
  readonly missing: number;
}

const isImpossible = (finding: string): boolean =>
  /^nobody has written|is listed \d+ times$/.test(finding);

/**
 * Writers with a tenant each, who go on with a new session wherever a server has forgotten theirs.
 */
export class Crowd {
  writes = 0;
  /** The errors that callers received while the store was unavailable. */
  readonly unavailable: string[] = [];
  /** How often a writer has found its session to be another than it left. */
  forgotten = 0;
  #isOver = false;
  #wanted = Number.POSITIVE_INFINITY;
  #reached: () => void = () => undefined;
  readonly #ledgers: Promise<readonly (readonly Ledger[])[]>;

  /** The stores are shared out among the writers. */
  constructor(size: number, stores: readonly SessionStore[], seed: number) {
    onTestFinished(() => {
      this.#isOver = true;
    });
    this.#ledgers = Promise.all(
      upTo(size).map((at) => this.#write(at, stores[at % stores.length], seed * 1000 + at)),
    );
  }

  /** Waits for so many more acknowledged writes. */
  more(count: number): Promise<void> {
    this.#wanted = this.writes + count;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  /** Ends the writing, and compares what was acknowledged with what `store` has. */
  async end(store: RedisSessionStore): Promise<Findings> {
    this.#isOver = true;
    const ledgers = await this.#ledgers;
    const audits = await Promise.all(
      ledgers.map((some, at) => audit(new SessionService({ store, tenant: tenantOf(at) }), some)),
    );
    const others = audits.flatMap((found) => found.others);
    return {
      lost: audits.flatMap(({ lost }) => lost),
      doubled: audits.flatMap(({ doubled }) => doubled),
      impossible: others.filter(isImpossible),
      astray: [
        ...others.filter((finding) => !isImpossible(finding)),
        ...audits.flatMap(({ outOfOrder }) => outOfOrder.map((id) => `${id} is not in order`)),
        ...audits.flatMap(({ unlisted }) => unlisted.map((id) => `${id} is not listed`)),
      ],
      missing: (await okOf(store.repair())).listed,
    };
  }

  async #write(
    at: number,
    store: SessionStore | undefined,
    seed: number,
  ): Promise<readonly Ledger[]> {
    if (store === undefined) throw new Error('no store');
    const ledgers: Ledger[] = [];
    for (let life = 1; !this.#isOver; life += 1) {
      const sessions = new WatchedSessions({ store, tenant: tenantOf(at) });
      const run: Run = {
        isOver: () => this.#isOver || sessions.forgotten,
        count: () => this.#count(),
        took: () => undefined,
      };
      ledgers.push(
        ...(await new Writer(sessions, `w${at}.${life}`, run, randomFrom(seed + life)).write()),
      );
      this.unavailable.push(...sessions.unavailable);
      this.forgotten += sessions.forgotten ? 1 : 0;
    }
    return ledgers;
  }

  #count(): void {
    this.writes += 1;
    if (this.writes >= this.#wanted) this.#reached();
  }
}

/** The tenant of a writer. */
const tenantOf = (at: number): string => `tenant-${at}`;
