import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Pool } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { SessionService, type SessionStore } from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { due } from '../../../src/testing/commits.js';
import { upTo } from '../../../src/testing/samples.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { ManualClock } from '../../support/manual-clock.js';
import { startPostgres } from '../../support/postgres-server.js';
import { randomFrom } from '../../support/random.js';
import { okOf } from '../../support/sessions.js';
import { audit } from '../databases/audit.js';
import { Conversation } from '../databases/conversation.js';
import { openDatabase } from '../databases/database.js';
import { thereIs } from '../databases/ledger.js';
import { effort, record, seeds } from '../support/effort.js';
import { ask, makeTables } from './mortal-server.js';
import { openHost } from './on-shared-server.js';
import { unsoundIn } from './soundness.js';

const CHANGES = 300;
const TRIALS = 30;
/** Each trial copies and starts a server: too long for every run. */
const inFull = effort(test.skip, test);
const PROMISE = 'PostgreSQL: a torn log loses nothing before the tear';
const TENANT = 'default';
const SCHEMA = 'colloquy';

/** Nothing but commits writes to the disk, and all of the log is in one file. */
const args = [
  'fsync=on',
  'autovacuum=off',
  'bgwriter_lru_maxpages=0',
  'checkpoint_timeout=1h',
].flatMap((setting) => ['-c', setting]);

/** All that readers see, as text. */
const sightOf = async (store: SessionStore): Promise<string> => {
  const page = await answerOf(store.page(TENANT, { offset: 0, limit: 1000 }));
  const queue = await due(store, Number.MAX_SAFE_INTEGER, 1000);
  const contents = page.records.map(({ head, state, history }) => ({ head, state, history }));
  return JSON.stringify([contents, page.total, page.unreadable, queue]);
};

const folder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-torn-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
};

/** Where the log ends that is on the disk. */
const endOfLog = async (pool: Pool) => {
  const { rows } = await pool.query(
    'SELECT * FROM pg_walfile_name_offset(pg_current_wal_flush_lsn())',
  );
  const row: Readonly<Record<string, unknown>> | undefined = rows[0];
  return { file: String(row?.['file_name']), at: Number(row?.['file_offset']) };
};

describeWithPostgres('a PostgreSQL write-ahead log torn by a machine crash', () => {
  inFull(
    'starts as it was after one of its changes, whole and sound, and takes new ones',
    async () => {
      const [seed = 1] = seeds(1);
      const random = randomFrom(seed);
      const server = await startPostgres({ dir: await folder(), args });
      onTestFinished(() => server.stop('SIGKILL'));
      const database = { kind: 'postgres', url: server.url, schema: SCHEMA } as const;
      await makeTables(database);
      await ask(server.url, 'CREATE EXTENSION amcheck', 'SELECT pg_switch_wal()', 'CHECKPOINT');
      const { store, pool } = openHost(database);
      // What is seen after each change, and how long the log then is.
      const sights = [{ ...(await endOfLog(pool)), sight: await sightOf(store) }];
      const sessions = new SessionService({ store, clock: new ManualClock() });
      const conversation = new Conversation(random);
      for (const _ of upTo(CHANGES)) {
        await conversation.step(sessions, async () => {
          sights.push({ ...(await endOfLog(pool)), sight: await sightOf(store) });
        });
      }
      await server.stop('SIGKILL');
      const { file, at: begin } = sights[0] ?? { file: '', at: 0 };
      const end = sights.at(-1)?.at ?? 0;
      expect(new Set(sights.map((sight) => sight.file))).toEqual(new Set([file]));

      const wrong: string[] = [];
      for (const trial of upTo(TRIALS)) {
        const at = begin + Math.ceil(random() * (end - begin));
        const dir = await folder();
        execFileSync('cp', ['-a', `${server.dir}/.`, dir]);
        const log = await open(join(dir, 'pg_wal', file), 'r+');
        // The rest was never written, or a block of it is damaged.
        const length =
          trial % 2 === 0 ? (await log.stat()).size - at : 1 + Math.floor(random() * 8192);
        const bytes = Buffer.alloc(length);
        if (trial % 2 === 1)
          for (const byte of upTo(length)) bytes[byte] = Math.floor(random() * 256);
        await log.write(bytes, 0, length, at);
        await log.close();
        const torn = await startPostgres({ dir, args });
        const after = { ...database, url: torn.url };
        const reopened = openDatabase(after);
        const sight = await sightOf(reopened.store);
        const kept = sights.findLastIndex((known) => known.at <= at);
        // Of the next change the log may have all that counts, and not what followed it.
        if (!sights.slice(kept, kept + 2).some((known) => known.sight === sight))
          wrong.push(`trial ${trial}, byte ${at}`);
        const { id } = await okOf(
          new SessionService({ store: reopened.store }).create({
            face: 'ada',
            profile: 'tutor',
            labels: { key: 'two' },
          }),
        );
        wrong.push(
          ...(
            await audit(
              reopened.store,
              [...conversation.ids, id].map((each) => thereIs(TENANT, each)),
            )
          ).untold,
          ...(await unsoundIn(after)),
        );
        await reopened.close();
        await torn.stop();
      }
      record({
        promise: PROMISE,
        figure: 'logs cut or overwritten at a random byte',
        value: TRIALS,
      });
      record({ promise: PROMISE, figure: 'changes in the log', value: conversation.changes });
      record({
        promise: PROMISE,
        figure: 'started in another state than before the tear',
        value: wrong.length,
        bar: '0',
      });
      expect(wrong).toEqual([]);
    },
  );
});
