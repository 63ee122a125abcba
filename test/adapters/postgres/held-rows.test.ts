import { afterAll, expect, it, onTestFinished } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { answerOf } from '../../../src/testing/answers.js';
import { appendOf, begin, beginOf, said } from '../../../src/testing/commits.js';
import { keyOf, upTo } from '../../../src/testing/samples.js';
import { PATIENT_MS } from '../../support/patience.js';
import { describeWithClients } from '../../support/postgres-clients.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';

describeWithClients('a PostgreSQL row that another transaction locks', (postgres, openClient) => {
  const pool = openPool(postgres);
  const client = openClient(postgres, 10);
  afterAll(async () => {
    await client.end();
    await pool.end();
  });
  const ids = upTo(20).map((at) => `s${at}`);

  const open = async (timeoutMs: number, schema = schemaName()) => {
    const store = new PostgresSessionStore({ ...client.host, schema, timeoutMs });
    (await store.migrate())._unsafeUnwrap();
    return { store, schema };
  };
  const started = async (store: PostgresSessionStore) => {
    for (const id of ids) await begin(store, keyOf(id));
  };
  const append = (store: PostgresSessionStore, id: string, text: string) =>
    store.change(appendOf(keyOf(id), [text]));

  /** Locks rows in a transaction that stays open until the returned function is called. */
  const hold = async (lock: string) => {
    const client = await pool.connect();
    let isHeld = true;
    const release = async () => {
      if (!isHeld) return;
      isHeld = false;
      await client.query('ROLLBACK');
      client.release();
    };
    onTestFinished(release);
    await client.query('BEGIN');
    await client.query(lock);
    return release;
  };
  const sessionsOf = (schema: string, ...held: readonly string[]) =>
    `SELECT FROM ${schema}.sessions WHERE id IN (${held.map((id) => `'${id}'`)}) FOR UPDATE`;

  it('delays no change of another session, and keeps the order of changes of its session', async () => {
    const { store, schema } = await open(PATIENT_MS);
    await started(store);
    const held = ids.slice(0, 3);
    const release = await hold(sessionsOf(schema, ...held));
    const rounds = upTo(5).map(async (round) => {
      const calls = ids.map((id) => append(store, id, `${round}`));
      for (const each of calls.slice(3)) {
        expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
      }
      return calls.slice(0, 3);
    });
    await Promise.all(rounds);
    const last = held.flatMap((id) => upTo(200).map((at) => append(store, id, `${5 + at}`)));
    await release();
    const waited = (await Promise.all(rounds)).flat();
    for (const each of [...waited, ...last]) {
      expect(await answerOf(each)).toMatchObject({ outcome: 'made' });
    }
    for (const id of held) {
      expect(await said(store, keyOf(id))).toEqual(upTo(205).map((at) => `${at}`));
    }
  });

  it('leaves changes of its session not_applied at their timeout, not unknown', async () => {
    const { store: patient, schema } = await open(PATIENT_MS);
    await started(patient);
    const { store } = await open(1000, schema);
    const release = await hold(sessionsOf(schema, 's0'));
    const calls = upTo(3).map((at) => append(store, 's0', `${at}`));
    for (const each of calls) {
      expect((await each)._unsafeUnwrapErr()).toMatchObject({
        type: 'store_unavailable',
        outcome: 'not_applied',
      });
    }
    await release();
    expect(await answerOf(append(patient, 's0', 'after'))).toMatchObject({ position: 1 });
  });

  it('delays no create of another session while it counts a total', async () => {
    const { store, schema } = await open(PATIENT_MS);
    await started(store);
    const release = await hold(`SELECT FROM ${schema}.totals WHERE shard = 10 FOR UPDATE`);
    // One of 32 consecutive sessions is counted in this shard.
    const calls = upTo(32).map((at) => store.begin(beginOf(keyOf(`new-${at}`))));
    let made = 0;
    const counted = calls.map(async (each) => {
      expect(await answerOf(each)).toEqual({ outcome: 'made' });
      made += 1;
    });
    await expect.poll(() => made, { timeout: PATIENT_MS }).toBeGreaterThanOrEqual(30);
    await release();
    await Promise.all(counted);
  });
});
