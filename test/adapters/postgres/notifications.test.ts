import { EventEmitter } from 'node:events';
import { afterAll, afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type PostgresPool, PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { PATIENT_MS } from '../../support/patience.js';
import { describeWithClients } from '../../support/postgres-clients.js';
import { openPool, schemaName } from '../../support/postgres-schema.js';
import { ada, okOf } from '../../support/sessions.js';
import { watchedBy } from './watched-by.js';

const hello = [{ role: 'user', content: 'Hello' }];

describeWithClients('a watch on PostgreSQL', (server, openClient) => {
  /** A process with a pool of its own. */
  const openHost = async (schema: string, max = 5) => {
    const client = openClient(server, max);
    let isEnded = false;
    const end = async (): Promise<void> => {
      if (!isEnded) await client.end();
      isEnded = true;
    };
    onTestFinished(end);
    const settings = { ...client.host, schema, events: true, timeoutMs: PATIENT_MS };
    const store = new PostgresSessionStore(settings);
    (await store.migrate())._unsafeUnwrap();
    return { end, store, sessions: new SessionService({ store }) };
  };
  const asked = openPool(server, { max: 1 });
  afterAll(() => asked.end());
  const isListening = (schema: string) => async (): Promise<boolean> => {
    const { rowCount } = await asked.query(
      `SELECT FROM pg_stat_activity WHERE query ILIKE 'LISTEN "colloquy_${schema}"' AND state = 'idle'`,
    );
    return rowCount === 1;
  };
  afterEach(() => void vi.useRealTimers());

  it("receives other processes' events by NOTIFY, without a poll", async () => {
    const schema = schemaName();
    const [{ sessions }, { store }] = [await openHost(schema), await openHost(schema)];
    const { id } = await okOf(sessions.create(ada));
    // No poll comes after the first.
    vi.useFakeTimers({ toFake: ['setInterval'] });
    const watch = watchedBy(store);
    await watch.opened;
    await vi.waitUntil(isListening(schema), { timeout: PATIENT_MS });
    await okOf(sessions.start(id));
    await watch.event(id, 2);
    for (let sequence = 3; sequence <= 5; sequence += 1) {
      await okOf(sessions.append(id, hello));
      await watch.event(id, sequence);
    }
    await watch.end();
    await vi.waitUntil(async () => !(await isListening(schema)()), { timeout: PATIENT_MS });
  });

  it('does not delay the end of its pool', async () => {
    const schema = schemaName();
    const { store, end } = await openHost(schema);
    const watch = watchedBy(store);
    await watch.opened;
    await vi.waitUntil(isListening(schema), { timeout: PATIENT_MS });
    await end();
    expect(await isListening(schema)()).toBe(false);
    expect(await watch.ended).toBe('store_unavailable');
  });

  it('polls if the pool cannot spare a connection for LISTEN, and leaves that connection to others', async () => {
    const schema = schemaName();
    const [{ sessions }, alone] = [await openHost(schema), await openHost(schema, 1)];
    const { id } = await okOf(sessions.create(ada));
    const watch = watchedBy(alone.store);
    await watch.opened;
    await okOf(sessions.start(id));
    await watch.event(id, 2);
    await okOf(alone.sessions.append(id, hello));
    await okOf(sessions.append(id, hello));
    await watch.event(id, 4);
    expect(await okOf(alone.sessions.get(id))).toMatchObject({ status: 'ACTIVE' });
    await watch.end();
  });
});

describe('a LISTEN through a pooler', () => {
  it('falls back to polling, even if a connection receives its own notification', async () => {
    const connect = async () => {
      const client = new EventEmitter();
      const query = async (text: string) => {
        if (text.startsWith('NOTIFY')) client.emit('notification');
        return { rows: [] };
      };
      return Object.assign(client, { query, release: () => undefined });
    };
    const pool: PostgresPool = { connect };
    let polls = 0;
    const stop = new PostgresSessionStore({ pool, events: true }).events?.listen?.(
      () => (polls += 1),
      '',
    );
    await vi.waitUntil(() => polls > 3, { timeout: PATIENT_MS });
    stop?.();
  });
});
