import { serviceOf } from '../../clock.js';
import type { SessionService } from '../../colloquy.js';
import type { Group, Subject } from '../../harness/measure.js';
import { type Context, expect, must } from '../suite.js';
import { idOf, type OpenStore, type WireSession } from './compared-store.js';
import { ENTRIES, writeSessions } from './fill.js';
import { effortOf } from './lists.js';

const CREATE = {
  face: 'ada',
  profile: 'tutor',
  behavior: 'Be kind.',
  context: '',
  timeLimit: 600,
} as const;
const ENTRY = {
  role: 'user',
  content: 'Could you tell me how long the appointment takes before we go on?',
};

/** Number of sessions that take appends in turns, so that none becomes long. */
const SESSIONS = 500;

const NEW_SESSION: Omit<WireSession, 'id'> = {
  status: 'IDLE',
  options: { face: 'ada', profile: 'tutor', behavior: 'Be kind.', context: '', time_limit: 600 },
  history: [],
  created_at: '2026-01-31T18:00:02.000Z',
  duration: 0,
};

const INSERT = 'a bare insert of an entry, by hand';
const CREATE_BY_HAND = 'an insert of a session, by hand';

const appending = (
  name: string,
  beside: readonly string[],
  sessions: SessionService,
  count: number,
): Subject => {
  let calls = 0;
  return {
    name,
    beside,
    call: () => {
      calls += 1;
      return must(sessions.append(idOf(calls % count), [ENTRY]));
    },
    check: async () => {
      const { historyCount } = await must(sessions.get(idOf(calls % count), { historyLimit: 0 }));
      expect(historyCount > ENTRIES, 'the entry is there');
    },
  };
};

const creating = (name: string, beside: readonly string[], sessions: SessionService): Subject => ({
  name,
  beside,
  call: () => must(sessions.create(CREATE)),
  check: async () =>
    expect((await must(sessions.list())).sessions[0]?.status === 'IDLE', 'it is there'),
});

/**
 * Appends to many sessions or to one, and creates in one tenant, with events and without, beside
 * bare inserts.
 */
export async function* writes(
  name: string,
  database: OpenStore,
  context: Context,
): AsyncGenerator<Group> {
  const effort = effortOf(context);
  const count = context.quick ? 50 : SESSIONS;
  const serviceFor = async (events: boolean) => {
    const store = database.open(events);
    const tenant = events ? 'events-on' : 'events-off';
    await writeSessions(store, tenant, { to: count });
    return serviceOf(store).forTenant(tenant);
  };
  const [off, on] = [await serviceFor(false), await serviceFor(true)];
  await database.byHand.add(
    'hand',
    Array.from({ length: count }, (_, at) => ({ ...NEW_SESSION, id: idOf(at) })),
  );
  const note = database.durability;
  let entries = 0;
  let created = 0;
  const timestamp = NEW_SESSION.created_at;
  for (const callers of [1, 32]) {
    const appendByHand = () => {
      entries += 1;
      return database.byHand.append('hand', idOf(entries % count), entries, {
        ...ENTRY,
        timestamp,
      });
    };
    const many = [
      { name: INSERT, beside: [INSERT], call: appendByHand, note },
      appending('append', [INSERT], off, count),
      appending('append, events on', [INSERT, 'append'], on, count),
    ];
    const subjects =
      callers === 1
        ? many
        : [...many, appending('append to one session', [INSERT, 'append'], off, 1)];
    yield {
      name: `${name} append`,
      callers,
      limits: [INSERT, 'append'],
      subjects,
      effort,
      isTimedSingly: true,
    };
    const createByHand = () => {
      created += 1;
      return database.byHand.create('hand', { ...NEW_SESSION, id: `n${created}` });
    };
    yield {
      name: `${name} create in one tenant`,
      callers,
      limits: [CREATE_BY_HAND, 'create'],
      subjects: [
        { name: CREATE_BY_HAND, beside: [CREATE_BY_HAND], call: createByHand, note },
        creating('create', [CREATE_BY_HAND], off),
        creating('create, events on', [CREATE_BY_HAND, 'create'], on),
      ],
      effort,
      isTimedSingly: true,
    };
  }
}
