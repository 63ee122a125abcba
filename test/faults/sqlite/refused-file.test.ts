import { chmodSync } from 'node:fs';
import Database from 'libsql';
import { expect, onTestFinished, test } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { type SessionError, SessionService } from '../../../src/index.js';
import { reasonToSkip, requirements } from '../../support/requirements.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { openSmallDisk } from '../../support/small-disk.js';
import { openLibsql } from '../../support/sqlite-file.js';
import { makeFile } from './make-file.js';
import { unsoundIn } from './soundness.js';

const isRoot = process.getuid?.() === 0;
const refusal = { type: 'store_unavailable', outcome: 'not_applied' };
const wrongSetUp = { type: 'misconfigured' };

const openOn = (file: string) => {
  const database = openLibsql(file);
  onTestFinished(() => void database.close());
  return {
    database,
    sessions: new SessionService({ store: new SqliteSessionStore({ database, events: true }) }),
  };
};

const started = async (sessions: SessionService): Promise<string> => {
  const { id } = await okOf(sessions.create({ ...ada, labels: { key: 'one' } }));
  await okOf(sessions.start(id));
  return id;
};

/**
 * As a host opens a file again that it may only read: it sets nothing that would have to be
 * written.
 */
const openReadOnly = (file: string) => {
  const database = new Database(file);
  onTestFinished(() => void database.close());
  database.exec('PRAGMA busy_timeout = 50');
  return database;
};

/** All that a refused write must leave as it is. */
const sightOf = async (sessions: SessionService, id: string) => ({
  session: { ...(await okOf(sessions.get(id))), durationMs: 0 },
  total: (await okOf(sessions.list())).total,
});

test('a SQLite file that may not grow rejects a change completely, and accepts it once it may grow', async () => {
  const { file } = await makeFile();
  const { database, sessions } = openOn(file);
  const id = await started(sessions);
  database.exec('PRAGMA max_page_count = 1');
  const words = (turn: number) => [{ role: 'user', content: `${turn} ${'word '.repeat(2000)}` }];
  let refused: SessionError | undefined;
  let turn = 0;
  while (refused === undefined) {
    turn += 1;
    refused = (await sessions.append(id, words(turn), { operationId: `turn-${turn}` })).match(
      () => undefined,
      (error) => error,
    );
  }
  expect(refused).toMatchObject(refusal);
  expect((await okOf(sessions.get(id))).historyCount).toBe(turn - 1);
  database.exec('PRAGMA max_page_count = 1000000');
  await okOf(sessions.append(id, words(turn), { operationId: `turn-${turn}` }));
  expect((await okOf(sessions.get(id))).historyCount).toBe(turn);
  expect(unsoundIn(file)).toEqual([]);
});

test('a read-only SQLite connection keeps reading, and leaves writes not_applied', async () => {
  const { file } = await makeFile();
  const { database, sessions } = openOn(file);
  const id = await started(sessions);
  const before = await sightOf(sessions, id);
  database.exec('PRAGMA query_only = ON');
  expect(await errorOf(sessions.create(ada))).toMatchObject(wrongSetUp);
  expect(await errorOf(sessions.append(id, [{ role: 'user', content: 'lost' }]))).toMatchObject(
    wrongSetUp,
  );
  expect(await errorOf(sessions.pause(id))).toMatchObject(wrongSetUp);
  expect(await errorOf(sessions.delete(id))).toMatchObject(wrongSetUp);
  expect(await sightOf(sessions, id)).toEqual(before);
  database.exec('PRAGMA query_only = OFF');
  await okOf(sessions.pause(id));
});

// Root may write to a file that nobody may write to: for root, the whole file system is made
// read-only.
if (isRoot && !requirements.smallDisk.isMet())
  test.skip(`a read-only file, ${reasonToSkip(requirements.smallDisk)}`);
else
  test('a SQLite file made read-only serves reads, rejects writes, and is unchanged when it is writable again', async () => {
    const disk = isRoot ? openSmallDisk(8) : undefined;
    if (disk !== undefined) onTestFinished(disk.close);
    const { file } = await makeFile({}, disk?.folder);
    const first = openOn(file).sessions;
    const id = await started(first);
    const before = await sightOf(first, id);
    const setMode = (mode: number) => {
      for (const end of ['', '-wal', '-shm']) chmodSync(`${file}${end}`, mode);
    };
    if (disk === undefined) setMode(0o444);
    else disk.makeReadOnly();
    const store = new SqliteSessionStore({ database: openReadOnly(file), events: true });
    const second = new SessionService({ store });
    expect(await sightOf(second, id)).toEqual(before);
    expect(await errorOf(second.create(ada))).toMatchObject(wrongSetUp);
    expect(await errorOf(second.append(id, [{ role: 'user', content: 'lost' }]))).toMatchObject(
      wrongSetUp,
    );
    expect(await errorOf(second.terminate(id))).toMatchObject(wrongSetUp);
    expect(await errorOf(second.delete(id))).toMatchObject(wrongSetUp);
    if (disk === undefined) setMode(0o644);
    else disk.makeWritable();
    const third = openOn(file).sessions;
    expect(await sightOf(third, id)).toEqual(before);
    await okOf(third.pause(id));
    expect(unsoundIn(file)).toEqual([]);
  });
