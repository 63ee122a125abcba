import { serviceOf } from '../clock.js';
import { type ListQuery, RedisSessionStore, type SessionService } from '../colloquy.js';
import type { Group, Subject } from '../harness/measure.js';
import { scattered } from './pages.js';
import { type Context, expect, must, type Suite } from './suite.js';

/** Number of sessions, and of those with the label: each hundredth. */
const SIZES = { total: 100_000, labelled: 1000 } as const;
const QUICK_SIZES = { total: 400, labelled: 20 } as const;

const LIMIT = 10;
const IN_FLIGHT = 64;
const LABEL = { user: 'u-1' } as const;

/** Creates sessions, of which this number have the label, scattered among the others. */
const create = async (sessions: SessionService, total: number, labelled: number): Promise<void> => {
  const step = total / labelled;
  let made = 0;
  const worker = async (): Promise<void> => {
    while (made < total) {
      const labels = made % step === 0 ? LABEL : {};
      made += 1;
      await must(sessions.create({ face: 'ada', profile: 'tutor', labels }));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, worker));
};

const listed = (
  name: string,
  sessions: SessionService,
  total: number,
  filter: ListQuery,
): Subject => {
  const next = scattered(total / LIMIT);
  return {
    name,
    call: async () => {
      const page = await must(sessions.list({ limit: LIMIT, page: next(), ...filter }));
      expect(
        page.sessions.length === LIMIT && page.total === total,
        `a page of ${LIMIT} of ${total} sessions`,
      );
      return page;
    },
  };
};

/** Any page of a label that few sessions have, beside any page of all sessions. */
async function* lists({ redis, quick }: Context): AsyncGenerator<Group> {
  const store = new RedisSessionStore({ client: redis });
  const { total, labelled } = quick ? QUICK_SIZES : SIZES;
  const many = serviceOf(store).forTenant('many');
  const alone = serviceOf(store).forTenant('alone');
  await create(many, total, labelled);
  await create(alone, labelled, labelled);
  for (const callers of [32, 1]) {
    yield {
      name: 'redis list by label, any page of 10',
      callers,
      limits: ['all sessions', 'the label, without other sessions'],
      subjects: [
        listed('all sessions', many, total, {}),
        listed('the label, without other sessions', alone, labelled, { labels: LABEL }),
        listed('the label of 1 %', many, labelled, { labels: LABEL }),
      ],
    };
  }
  await redis.flushdb();
}

const bare = { face: 'ada', profile: 'tutor' } as const;

/** Creates sessions with more and more labels. */
async function* creates({ redis }: Context): AsyncGenerator<Group> {
  const sessions = serviceOf(new RedisSessionStore({ client: redis }));
  const creating = (name: string, labelsOf: (at: number) => object): Subject => {
    let made = 0;
    return {
      name,
      call: () => {
        made += 1;
        return must(sessions.create({ ...bare, ...labelsOf(made) }));
      },
    };
  };
  const eight = (at: number) =>
    Object.fromEntries(Array.from({ length: 8 }, (_, name) => [`l${name}`, `v-${at % 100}`]));
  yield {
    name: 'redis create with labels',
    callers: 1,
    limits: ['no labels'],
    subjects: [
      creating('no labels', () => ({})),
      creating('1 label', (at) => ({ labels: { user: `u-${at % 100}` } })),
      creating('8 labels', (at) => ({ labels: eight(at) })),
    ],
  };
  await redis.flushdb();
}

export const labelSuites: readonly Suite[] = [
  { name: 'labels-list', groups: lists },
  { name: 'labels-create', groups: creates },
];
