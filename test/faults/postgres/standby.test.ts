import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { SessionError, SessionService } from '../../../src/index.js';
import { describeWithPostgres } from '../../support/describe-with-postgres.js';
import { makeStandby, startPostgres } from '../../support/postgres-server.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { ask, makeTables } from './mortal-server.js';
import { openHost } from './on-shared-server.js';

const hi = [{ role: 'user', content: 'hi' }];
const notApplied = { type: 'store_unavailable', outcome: 'not_applied' };

const folder = async (): Promise<string> => {
  const dir = await mkdtemp(join(tmpdir(), 'colloquy-standby-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
};

/** The session, without what the time between two reads changes. */
const sightOf = async (sessions: SessionService, id: string) => ({
  ...(await okOf(sessions.get(id))),
  durationMs: 0,
});

describeWithPostgres('a hot standby of PostgreSQL', () => {
  it('serves reads, rejects writes with nothing applied, and continues after its promotion', async () => {
    const primary = await startPostgres({ dir: await folder() });
    onTestFinished(() => primary.stop());
    const database = { kind: 'postgres', url: primary.url, schema: 'colloquy' } as const;
    await makeTables(database);
    const dir = await folder();
    await makeStandby(primary, dir);
    const standby = await startPostgres({ dir });
    onTestFinished(() => standby.stop());

    const first = openHost(database).sessions;
    const { id } = await okOf(first.create(ada));
    await okOf(first.start(id));
    await okOf(first.append(id, hi, { operationId: 'hi' }));
    const [{ end } = { end: '' }] = await ask(
      primary.url,
      'SELECT pg_current_wal_flush_lsn()::text AS end',
    );
    for (let isThere: unknown; isThere !== true; ) {
      [{ isThere } = { isThere: false }] = await ask(
        standby.url,
        `SELECT pg_last_wal_replay_lsn() >= '${String(end)}' AS "isThere"`,
      );
    }

    const second = openHost({ ...database, url: standby.url }).sessions;
    expect(await sightOf(second, id)).toEqual(await sightOf(first, id));
    expect((await okOf(second.list({ status: 'ACTIVE' }))).total).toBe(1);
    const writes = [second.create(ada), second.pause(id), second.append(id, hi), second.delete(id)];
    for (const write of writes)
      expect(await errorOf<SessionError>(write)).toMatchObject(notApplied);
    expect(await sightOf(second, id)).toEqual(await sightOf(first, id));

    await primary.stop('SIGKILL');
    await ask(standby.url, 'SELECT pg_promote()');
    await okOf(second.append(id, hi, { operationId: 'hi' }));
    await okOf(second.append(id, hi, { operationId: 'again' }));
    await okOf(second.terminate(id));
    expect(await okOf(second.get(id))).toMatchObject({ status: 'TERMINATED', historyCount: 2 });
    expect(await errorOf(first.get(id))).toMatchObject(notApplied);
  });
});
