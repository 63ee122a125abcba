import { serviceOf } from '../../clock.js';
import {
  BARE,
  FAIR,
  type FairOperation,
  fairGroup,
  fairWriteOperations,
} from '../../fair-figures.js';
import type { Group, Subject } from '../../harness/measure.js';
import {
  type ComparedStore,
  idOf,
  type OpenStore,
  type Sync,
  TEMPLATES,
} from '../stores/compared-store.js';
import { wireSessionsOf, writeSessions } from '../stores/fill.js';
import { postgres } from '../stores/postgres.js';
import { redis } from '../stores/redis.js';
import { sqlite } from '../stores/sqlite.js';
import type { Suite } from '../suite.js';
import { appends, type Compared, creates, gets, pages, READ, WRITTEN } from './calls.js';
import { type FairWrites, proveFair } from './fair-writes.js';
import { fairOnPostgres } from './postgres-by-hand.js';
import { fairOnRedis } from './redis-by-hand.js';
import { fairOnSqlite } from './sqlite-by-hand.js';

/** Enough that plans and caches are those of a table, and not of a page. */
const READ_COUNT = 5 * TEMPLATES;

const limitsOf = (subjects: readonly Subject[]): readonly string[] =>
  [BARE, FAIR].filter((limit) => subjects.some(({ name }) => name === limit));

/** A session by hand for each of the store that takes appends. */
const fillByHand = async ({ database, fair, count }: Compared): Promise<void> => {
  const created_at = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const options = { face: 'ada', profile: 'tutor', behavior: '', context: '', time_limit: 0 };
  const sessions = Array.from({ length: count }, (_, number) => ({
    ...{ id: idOf(number), status: 'ACTIVE', options, history: [], created_at, duration: 0 },
  }));
  await database.byHand.add(WRITTEN, sessions);
  for (const session of fair === undefined ? [] : sessions) {
    await fair?.create(WRITTEN, session);
    await fair?.start(WRITTEN, session.id);
  }
};

const operations = {
  append: (compared: Compared) => appends(compared, false),
  'append with an operationId': (compared: Compared) => appends(compared, true),
  create: creates,
  'page of ten': pages,
  get: gets,
} as const satisfies Record<FairOperation, (compared: Compared) => readonly Subject[]>;

const isRead = (operation: FairOperation): boolean =>
  operation === 'page of ten' || operation === 'get';

/** Number of tasks that write sessions concurrently. */
const LANES = 10;

/** Sessions with ten entries each, all through the service, and the same by hand. */
const fillRead = async ({ database, reader, readCount }: Compared): Promise<void> => {
  const store = database.open(false);
  const each = readCount / LANES;
  const ranges = Array.from({ length: LANES }, (_, lane) => ({
    from: lane * each,
    to: (lane + 1) * each,
  }));
  await Promise.all(ranges.map((range) => writeSessions(store, READ, range)));
  await database.byHand.add(READ, await wireSessionsOf(reader.forTenant(READ)));
};

/** Calls of a caller in a batch: long enough that its beginning and end hardly count. */
const batchOf = (operation: FairOperation, callers: number, sync: Sync): number => {
  const calls = sync !== 'never' || operation === 'page of ten' ? 40 : 160;
  return callers === 1 ? calls : calls / 8;
};

/** The same guarantees by hand, on the same server or in the same folder. */
const fairs: Readonly<Record<string, (address: string, sync: Sync) => Promise<FairWrites>>> = {
  Redis: fairOnRedis,
  SQLite: fairOnSqlite,
  PostgreSQL: fairOnPostgres,
};

interface Preparing {
  readonly isRead: boolean;
  readonly events?: boolean;
  readonly sync?: Sync;
}

/** Sessions on a database, in the store and by hand. */
export const prepare = async (
  name: string,
  database: OpenStore,
  count: number,
  { isRead, events = true, sync = 'never' }: Preparing,
): Promise<Compared> => {
  const fair = events ? await fairs[name]?.(database.address ?? '', sync) : undefined;
  if (fair !== undefined) await proveFair(fair);
  const store = database.open(events);
  const [service, reader] = [serviceOf(store), serviceOf(database.open(false))];
  const compared = { database, service, reader, fair, count, readCount: isRead ? READ_COUNT : 0 };
  if (isRead) await fillRead(compared);
  await writeSessions(store, WRITTEN, { to: count });
  if (events) await fillByHand(compared);
  return compared;
};

/** Opens a database with what the operations need, and measures them there. */
async function* measured(
  { name, open }: ComparedStore,
  sync: Sync,
  chosen: readonly FairOperation[],
): AsyncGenerator<Group> {
  const database = await open({ sync });
  const compared = await prepare(name, database, TEMPLATES, {
    isRead: chosen.some(isRead),
    sync,
  });
  try {
    for (const callers of [1, 32]) {
      for (const operation of chosen) {
        const subjects = operations[operation](compared);
        yield {
          name: fairGroup(name, operation, sync),
          callers,
          batch: batchOf(operation, callers, sync),
          limits: limitsOf(subjects),
          subjects,
          serverPid: database.serverPid,
        };
      }
    }
  } finally {
    await compared.fair?.close();
    await database.close();
  }
}

const suffixes = { always: '-durable', later: '-later', never: '' } as const;

const suiteOf = (store: ComparedStore, sync: Sync, chosen: readonly FairOperation[]): Suite => ({
  name: `fair-${store.name.toLowerCase()}${suffixes[sync]}`,
  groups: () => measured(store, sync, chosen),
});

const stores = [redis, sqlite, postgres];

export const fairStoreSuites: readonly Suite[] = [
  suiteOf(redis, 'never', [...fairWriteOperations, 'page of ten', 'get']),
  suiteOf(sqlite, 'never', ['page of ten', 'get']),
  suiteOf(postgres, 'never', ['page of ten', 'get']),
  ...(['always', 'later'] as const).flatMap((sync) =>
    stores.map((store) => suiteOf(store, sync, fairWriteOperations)),
  ),
];
