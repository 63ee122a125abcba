import type { SessionService } from '../../colloquy.js';
import { BARE, ENGINE, FAIR } from '../../fair-figures.js';
import type { Subject } from '../../harness/measure.js';
import { utterances } from '../../seed.js';
import { lookAt } from '../pages.js';
import { idOf, type OpenStore, type WireSession } from '../stores/compared-store.js';
import { ENTRIES } from '../stores/fill.js';
import { expect, must } from '../suite.js';
import type { FairWrites } from './fair-writes.js';

/** The tenants that are read, and written to. */
export const [READ, WRITTEN] = ['read', 'written'] as const;
const CREATED = 'created';

const PAGE = 10;
const TEXTS = 5003;
/** Prime, so that calls visit everything before they come back. */
const STRIDE = 7919;

const next = utterances(7);
const texts = Array.from({ length: TEXTS }, next);
/** Over all groups of a process, so that no input repeats. */
let entries = 0;
let sessions = 0;
let names = 0;

/** An entry that no earlier call had, in as little time as possible. */
const newEntry = (): { readonly role: string; readonly content: string } => {
  entries += 1;
  return { role: 'user', content: `${texts[entries % TEXTS]} ${entries}` };
};

const optionsOf = (number: number) => ({
  face: 'ada',
  profile: 'tutor',
  behavior: texts[number % TEXTS] ?? '',
  context: `The learner of lesson ${number}.`,
});

const TIME_LIMIT = 600;

/** A session that no earlier call had. */
const newSession = (): WireSession => {
  sessions += 1;
  return {
    id: `n${String(sessions).padStart(20, '0')}`,
    status: 'IDLE',
    options: { ...optionsOf(sessions), time_limit: TIME_LIMIT },
    history: [],
    created_at: new Date(Date.UTC(2026, 0, 1) + sessions).toISOString(),
    duration: 0,
  };
};

/** Numbers below `count` in an order that does not run on. */
const scatteredBelow = (count: number): (() => number) => {
  let at = 0;
  return () => {
    at = (at + STRIDE) % count;
    return at;
  };
};

export interface Compared {
  readonly database: OpenStore;
  /** With events, unless they are looked at apart. */
  readonly service: SessionService;
  /** Without, of the sessions that are read. */
  readonly reader: SessionService;
  /** Of stores that have it. */
  readonly fair: FairWrites | undefined;
  /** Number of sessions that take appends. */
  readonly count: number;
  /** Number of sessions that are read. */
  readonly readCount: number;
}

const withFair = (
  fair: FairWrites | undefined,
  call: (writes: FairWrites) => Promise<unknown>,
): readonly Subject[] => (fair === undefined ? [] : [{ name: FAIR, call: () => call(fair) }]);

export const appends = (
  { database, service, fair, count }: Compared,
  isNamed: boolean,
): readonly Subject[] => {
  const tenant = service.forTenant(WRITTEN);
  const [bare, guaranteed, own] = [count, count, count].map(scatteredBelow);
  const timestamp = new Date(Date.UTC(2026, 0, 1)).toISOString();
  const name = (): string => {
    names += 1;
    return isNamed ? `operation-${names}` : '';
  };
  const appendBare = () => {
    const entry = { ...newEntry(), timestamp };
    return database.byHand.append(WRITTEN, idOf(bare?.() ?? 0), entries, entry);
  };
  let last = '';
  const appendOwn = () => {
    last = idOf(own?.() ?? 0);
    return must(tenant.append(last, [newEntry()], isNamed ? { operationId: name() } : {}));
  };
  const check = async () => {
    const { historyCount } = await must(tenant.get(last, { historyLimit: 0 }));
    expect(historyCount > ENTRIES, 'the entry is there');
  };
  return [
    { name: BARE, call: appendBare },
    ...withFair(fair, async ({ append }) => {
      const id = idOf(guaranteed?.() ?? 0);
      const outcome = await append({ tenant: WRITTEN, id, entry: newEntry(), name: name() });
      expect(outcome === 'appended', `appended, not ${outcome}`);
    }),
    { name: ENGINE, call: appendOwn, check },
  ];
};

export const creates = ({ database, service, fair }: Compared): readonly Subject[] => {
  const tenant = service.forTenant(CREATED);
  const create = () => {
    sessions += 1;
    return must(tenant.create({ ...optionsOf(sessions), timeLimit: TIME_LIMIT }));
  };
  const check = async () =>
    expect((await must(tenant.list({ limit: 1 }))).sessions[0]?.status === 'IDLE', 'it is there');
  return [
    { name: BARE, call: () => database.byHand.create(CREATED, newSession()) },
    ...withFair(fair, (writes) => writes.create(CREATED, newSession())),
    { name: ENGINE, call: create, check },
  ];
};

const textOf = (all: readonly Pick<WireSession, 'id' | 'history'>[]): string =>
  JSON.stringify(all.map(({ id, history }) => [id, history]));

export const pages = ({ database, reader, readCount }: Compared): readonly Subject[] => {
  const tenant = reader.forTenant(READ);
  const [bare, own] = [readCount / PAGE, readCount / PAGE].map(scatteredBelow);
  const byHand = (page: number) => database.byHand.page(READ, { skip: page * PAGE }, false);
  const list = async (page: number) =>
    (await must(tenant.list({ limit: PAGE, page: page + 1 }))).sessions;
  const check = async () => {
    const page = await list(3);
    expect(page.length === PAGE && textOf(page) === textOf(await byHand(3)), 'the same page');
  };
  return [
    { name: BARE, call: async () => lookAt(await byHand(bare?.() ?? 0)) },
    { name: ENGINE, call: async () => lookAt(await list(own?.() ?? 0)), check },
  ];
};

export const gets = ({ database, reader, readCount }: Compared): readonly Subject[] => {
  const tenant = reader.forTenant(READ);
  const [bare, own] = [readCount, readCount].map(scatteredBelow);
  const byHand = (number: number) => database.byHand.get(READ, idOf(number));
  const get = (number: number) => must(tenant.get(idOf(number)));
  const check = async () =>
    expect(textOf([await get(3)]) === textOf([await byHand(3)]), 'the same session');
  return [
    { name: BARE, call: async () => lookAt([await byHand(bare?.() ?? 0)]) },
    { name: ENGINE, call: async () => lookAt([await get(own?.() ?? 0)]), check },
  ];
};
