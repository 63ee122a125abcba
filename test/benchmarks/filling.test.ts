import { afterAll, describe, expect, it, vi } from 'vitest';
import { type Session, SessionService } from '../../benchmarks/colloquy.js';
import {
  createdMsOf,
  type Start,
  TEMPLATES,
} from '../../benchmarks/subjects/stores/compared-store.js';
import { fill, writeSessions } from '../../benchmarks/subjects/stores/fill.js';
import { comparedStores } from '../../benchmarks/subjects/stores/stores.js';
import { findPostgres } from '../support/postgres-binary.js';
import { findRedisServer } from '../support/redis-binary.js';
import { reasonToSkip, requirements } from '../support/requirements.js';
import { withoutRevisions } from '../support/without-revisions.js';

// A tenth of what the benchmarks write: it is read before the modules below are.
vi.hoisted(() => {
  process.env['BENCHMARK_TEMPLATES'] = '100';
});
afterAll(() => {
  delete process.env['BENCHMARK_TEMPLATES'];
});

const COUNT = 2 * TEMPLATES;

/** The sessions that a page in the middle is behind. */
const SKIPPED = COUNT / 4 + 1;

/** Written concurrently: a busy machine lets each call wait. */
const PART = COUNT / 8;

const missing = (name: string): string | undefined => {
  if (name === 'Redis' && findRedisServer() === undefined) return reasonToSkip(requirements.redis);
  if (name === 'PostgreSQL' && findPostgres() === undefined)
    return reasonToSkip(requirements.postgres);
  return undefined;
};

describe('a database that the benchmarks fill by copying', () => {
  for (const { name, open } of comparedStores) {
    const reason = missing(name);
    if (reason !== undefined) {
      it.skip(reason);
      continue;
    }
    it(`contains the same sessions on ${name} as one that the service has written`, async () => {
      const database = await open({ sync: 'never' });
      try {
        await fill(database, 'copied', COUNT);
        const store = database.open(false);
        const parts = Array.from({ length: COUNT / PART }, (_, part) => ({
          from: part * PART,
          to: (part + 1) * PART,
        }));
        await Promise.all(parts.map((part) => writeSessions(store, 'written', part)));
        // The same instant for both: the sessions are ACTIVE, so their durations depend on it.
        const now = createdMsOf(COUNT);
        const sessions = new SessionService({ store, clock: { now: () => now } });
        const all = async (tenant: string) => {
          const found: Session[] = [];
          for await (const session of sessions.forTenant(tenant).each())
            found.push(session._unsafeUnwrap());
          return found;
        };
        const copied = await all('copied');
        expect(copied).toHaveLength(COUNT);
        expect(withoutRevisions(copied)).toEqual(withoutRevisions(await all('written')));
        const created = await sessions
          .forTenant('copied')
          .create({ face: 'ada', profile: 'tutor' });
        const [first] = (await sessions.forTenant('copied').list())
          .map((page) => page.sessions)
          ._unsafeUnwrap();
        expect(first?.id).toBe(created._unsafeUnwrap().id);
        const byStatus = (await sessions.forTenant('copied').list({ limit: 1 }))._unsafeUnwrap();
        expect(byStatus.total).toBe(COUNT + 1);
        const behind = copied[SKIPPED - 1];
        const starts: readonly Start[] = [
          { skip: SKIPPED },
          { createdMs: Date.parse(behind?.createdAt ?? ''), id: behind?.id ?? '' },
        ];
        for (const start of starts) {
          const page = await database.byHand.page('copied', start, false);
          const expected = copied
            .slice(SKIPPED, SKIPPED + 10)
            .map(({ id, history }) => ({ id, history }));
          expect(page.map(({ id, history }) => ({ id, history }))).toEqual(expected);
        }
      } finally {
        await database.close();
      }
    });
  }
});
