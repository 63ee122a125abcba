import { PostgresSessionStore } from '../../adapters/postgres/index.js';
import { asTodaysStore } from '../../src/testing/as-todays-store.js';
import type { TodaysStore } from '../../src/testing/todays-store.js';

type Input<M extends keyof TodaysStore> = Parameters<
  Extract<TodaysStore[M], (...all: never) => unknown>
>;

/** A store on PostgreSQL that also has the methods that older tests call. */
export class TodaysPostgresStore extends PostgresSessionStore {
  readonly #todays = asTodaysStore(this);

  insert = async (...all: Input<'insert'>) => this.#todays.insert(...all);
  replace = async (...all: Input<'replace'>) => this.#todays.replace(...all);
  append = async (...all: Input<'append'>) => this.#todays.append(...all);
  redact = async (...all: Input<'redact'>) => this.#todays.redact(...all);
  reschedule = async (...all: Input<'reschedule'>) => this.#todays.reschedule(...all);
  discard = async (...all: Input<'remove'>) => this.#todays.remove(...all);
  list = async (...all: Input<'list'>) => this.#todays.list(...all);
  findEntries = async (...all: Input<'findEntries'>) => this.#todays.findEntries(...all);
}
