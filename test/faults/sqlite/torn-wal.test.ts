import { copyFileSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { ok } from 'neverthrow';
import { describe, expect, onTestFinished, test } from 'vitest';
import { SqliteSessionStore } from '../../../adapters/sqlite/index.js';
import { SessionService } from '../../../src/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { due } from '../../../src/testing/commits.js';
import { upTo } from '../../../src/testing/samples.js';
import { ManualClock } from '../../support/manual-clock.js';
import { randomFrom } from '../../support/random.js';
import { ada, okOf } from '../../support/sessions.js';
import { openLibsql, sqliteFile } from '../../support/sqlite-file.js';
import { Conversation } from '../databases/conversation.js';
import { effort, record, seeds } from '../support/effort.js';
import { unsoundIn } from './soundness.js';

const CHANGES = effort(60, 300);
const TRIALS = effort(12, 1000);
const PROMISE = 'SQLite: a torn log loses nothing before the tear';
const TENANT = 'default';

const storeOf = (file: string) => {
  const database = openLibsql(file);
  database.exec('PRAGMA wal_autocheckpoint = 0');
  return { database, store: new SqliteSessionStore({ database, events: true }) };
};

/** All that readers see, as text. */
const sightOf = async (store: SqliteSessionStore): Promise<string> => {
  const page = await answerOf(store.page(TENANT, { offset: 0, limit: 1000 }));
  const told = await answerOf(store.events?.read('', '0', 10_000) ?? ok(undefined));
  const queue = await due(store, Number.MAX_SAFE_INTEGER, 1000);
  const contents = page.records.map(({ head, state, history }) => ({ head, state, history }));
  return JSON.stringify([contents, page.total, page.unreadable, told, queue]);
};

describe('a SQLite write-ahead log torn by a machine crash', () => {
  test('opens in the state after one of its changes, sound and writable', async () => {
    const [seed = 1] = seeds(1);
    const random = randomFrom(seed);
    const { file, remove } = sqliteFile();
    onTestFinished(remove);
    const { database, store } = storeOf(file);
    (await store.migrate())._unsafeUnwrap();
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    // What is seen after each change, and how long the log then is.
    const sights = [{ bytes: 0, sight: await sightOf(store) }];
    const sessions = new SessionService({ store, clock: new ManualClock() });
    const conversation = new Conversation(random);
    for (const _ of upTo(CHANGES)) {
      await conversation.step(sessions, async () => {
        sights.push({ bytes: statSync(`${file}-wal`).size, sight: await sightOf(store) });
      });
    }
    const [whole, log] = [`${file}.whole`, readFileSync(`${file}-wal`)];
    copyFileSync(file, whole);
    database.close();

    const wrong: string[] = [];
    for (const trial of upTo(TRIALS)) {
      const at = Math.floor(random() * log.length);
      const isCut = trial % 2 === 0;
      const bytes = Buffer.from(isCut ? log.subarray(0, at) : log);
      // A block that the disk has kept in part, or never wrote.
      if (!isCut)
        for (const byte of upTo(1 + random() * 4096)) bytes[at + byte] = Math.floor(random() * 256);
      // A driver may keep a file open that it was told to close: each trial has a file of its own.
      const torn = `${file}.${trial}`;
      copyFileSync(whole, torn);
      writeFileSync(`${torn}-wal`, bytes);
      const reopened = storeOf(torn);
      const sight = await sightOf(reopened.store);
      if (sight !== sights.findLast((known) => known.bytes <= at)?.sight)
        wrong.push(`trial ${trial}, byte ${at}`);
      const after = new SessionService({ store: reopened.store });
      const { id } = await okOf(after.create({ ...ada, labels: { key: 'two' } }));
      reopened.database.close();
      const again = storeOf(torn);
      const found = await answerOf(again.store.find({ tenant: TENANT, id }));
      if (found === undefined) wrong.push(`trial ${trial}, byte ${at}: a new session is lost`);
      again.database.close();
      wrong.push(...unsoundIn(torn));
      for (const end of ['', '-wal', '-shm']) rmSync(`${torn}${end}`, { force: true });
    }
    record({ promise: PROMISE, figure: 'logs cut or overwritten at a random byte', value: TRIALS });
    record({ promise: PROMISE, figure: 'changes in the log', value: conversation.changes });
    record({
      promise: PROMISE,
      figure: 'opened in another state than before the tear',
      value: wrong.length,
      bar: '0',
    });
    expect(wrong).toEqual([]);
  });
});
