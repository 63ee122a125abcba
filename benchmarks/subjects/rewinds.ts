import { serviceOf } from '../clock.js';
import type { SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { seedSession } from '../seed.js';
import type { ComparedStore } from './stores/compared-store.js';
import { memory } from './stores/memory.js';
import { postgres } from './stores/postgres.js';
import { redis } from './stores/redis.js';
import { sqlite } from './stores/sqlite.js';
import { type Context, expect, must, type Suite } from './suite.js';

const ENTRY = [
  {
    role: 'assistant',
    content: 'Could you tell me how long the appointment takes before we go on?',
  },
];

/** Entries that each read gives, of parts that follow one another. */
const PART = 100;

/**
 * A session of so many entries, and one in which so many answers were written anew, and one with as
 * many rewinds that stuck.
 */
const insertSessions = async (sessions: SessionService, count: number) => {
  const without = await seedSession(sessions, count, 1);
  const regenerated = await seedSession(sessions, 9, 2);
  const { position: to } = await must(sessions.history(regenerated));
  let regeneratedEnd = to;
  for (let left = count; left > 0; left -= 1) {
    const input = { to, entries: ENTRY, ifPosition: regeneratedEnd };
    regeneratedEnd = (await must(sessions.rewind(regenerated, input))).position;
  }
  const chained = await seedSession(sessions, 0, 3);
  let end = 0;
  for (let left = count; left > 0; left -= 1) {
    end = (await must(sessions.rewind(chained, { to: end, entries: ENTRY, ifPosition: end })))
      .position;
  }
  return {
    'without rewinds': without,
    'answers written anew': regenerated,
    'rewinds that stuck': chained,
  };
};

/** An append to a history that grows, and one in the place of the last entry. */
const writes = async (sessions: SessionService): Promise<readonly Subject[]> => {
  const [appended, rewound] = [
    await seedSession(sessions, 10, 4),
    await seedSession(sessions, 10, 5),
  ];
  const { start: to, position } = await must(sessions.history(rewound, { last: 1 }));
  let ifPosition = position;
  return [
    { name: 'append', call: () => must(sessions.append(appended, ENTRY)) },
    {
      name: 'rewind by an entry',
      call: async () => {
        const result = await must(sessions.rewind(rewound, { to, entries: ENTRY, ifPosition }));
        ifPosition = result.position;
        return result;
      },
      check: async () =>
        expect((await must(sessions.get(rewound))).historyCount === 10, 'there are ten entries'),
    },
  ];
};

/** Parts of a history, one after the other, from the beginning again when there are no more. */
const paging = (sessions: SessionService, name: string, id: string): Subject => {
  let after = 0;
  return {
    name,
    call: async () => {
      const part = await must(sessions.history(id, { after, limit: PART }));
      after = part.hasMore ? part.position : 0;
      return part;
    },
  };
};

const groupsOf = ({ name, open }: ComparedStore) =>
  async function* ({ quick }: Context): AsyncGenerator<Group> {
    const count = quick ? 200 : 10_000;
    const database = await open({ sync: 'never' });
    try {
      const sessions = serviceOf(database.open(false));
      const limits = ['append'];
      yield {
        name: `${name} rewind beside append`,
        callers: 1,
        limits,
        subjects: await writes(sessions),
      };
      const ids = Object.entries(await insertSessions(sessions, count));
      yield {
        name: `${name} the last ten entries`,
        callers: 1,
        limits: ['without rewinds'],
        subjects: ids.map(([subject, id]) => ({
          name: subject,
          call: () => must(sessions.history(id, { last: 10 })),
          check: async () =>
            expect(
              (await must(sessions.history(id, { last: 10 }))).entries.length === 10,
              'ten entries',
            ),
        })),
      };
      yield {
        name: `${name} parts of a hundred entries, forwards`,
        callers: 1,
        limits: ['without rewinds'],
        // The session whose answers were written anew has one part of ten entries.
        subjects: ids.map(([subject, id]) => paging(sessions, subject, id)),
      };
    } finally {
      await database.close();
    }
  };

/** Rewinds beside appends, and reads of histories with and without them. */
export const rewindSuites: readonly Suite[] = [memory, redis, sqlite, postgres].map((store) => ({
  name: `rewinds-${store.name.toLowerCase()}`,
  groups: groupsOf(store),
}));
