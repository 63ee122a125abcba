import { describe, expect, test } from 'vitest';
import type { PostgresSessionStoreOptions } from '../../adapters/postgres/index.js';
import type { SessionService } from '../../src/service/session-service.js';
import type { SimulationOptions } from '../../src/simulation/index.js';
import type { SessionStore } from '../../src/store/session-store.js';
import type { StoreContractOptions } from '../../src/testing/index.js';
import { documentOf, rowsOf } from './documents.js';

/** The names of a type; the compiler knows if one is missing or is too many. */
type NamesOf<T> = Readonly<Record<keyof T, true>>;

const tables: readonly (readonly [path: string, head: string, names: object])[] = [
  [
    'docs/reference/operations.md',
    'Operation',
    {
      ...{
        create: true,
        getOrCreate: true,
        start: true,
        pause: true,
        resume: true,
        terminate: true,
        fail: true,
      },
      ...{
        extend: true,
        update: true,
        append: true,
        rewind: true,
        redact: true,
        get: true,
        history: true,
        list: true,
        each: true,
      },
      ...{
        lease: true,
        renew: true,
        release: true,
        withLease: true,
        wake: true,
        claim: true,
        delete: true,
        spend: true,
        send: true,
        inbox: true,
        withdraw: true,
        reply: true,
        answer: true,
        take: true,
      },
      ...{ claimAny: true, countWaiting: true, countWaitingAny: true, cancel: true },
      ...{ watch: true, watchAll: true, sweep: true, drain: true },
      ...{ forTenant: true, within: true, orThrow: true },
    } satisfies NamesOf<Omit<SessionService, 'clock' | 'policy'>>,
  ],
  [
    'docs/contributing/writing-a-store.md',
    'Method',
    {
      ...{ begin: true, change: true, remove: true, take: true, find: true, findState: true },
      ...{ entries: true, page: true, due: true, countWaiting: true, reportsEnds: true },
      ...{ drain: true, messages: true, within: true },
    } satisfies NamesOf<Omit<SessionStore, 'events'>>,
  ],
  [
    'docs/contributing/writing-a-store.md',
    'Option',
    {
      ...{ corrupt: true, without: true, timeoutMs: true },
    } satisfies NamesOf<StoreContractOptions<SessionStore>>,
  ],
  [
    'docs/simulation.md',
    'Option',
    {
      ...{
        seeds: true,
        firstSeed: true,
        hosts: true,
        faults: true,
        duration: true,
        calm: true,
        service: true,
      },
      ...{ store: true, setup: true, host: true, check: true, onProgress: true },
    } satisfies NamesOf<SimulationOptions>,
  ],
  [
    'docs/postgres.md',
    'Option',
    {
      ...{ pool: true, sql: true, schema: true, timeoutMs: true, reportEnds: true, events: true },
    } satisfies NamesOf<PostgresSessionStoreOptions>,
  ],
];

describe('the tables in the documents', () => {
  test.for(tables)('of %s list each %s', ([path, head, names]) => {
    const told = rowsOf(documentOf(path), head).map(([first = '']) => first);
    const isTold = (name: string) => told.some((cell) => new RegExp(`\\b${name}\\b`).test(cell));
    expect(Object.keys(names).filter((name) => !isTold(name))).toEqual([]);
  });
});
