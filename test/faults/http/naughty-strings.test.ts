import naughty from 'big-list-of-naughty-strings/blns.json' with { type: 'json' };
import { afterEach, describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { nodeListener } from '../../../adapters/node/index.js';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import { createSessionHandler } from '../../../src/http/index.js';
import { SessionService, type SessionStore } from '../../../src/index.js';
import { planCreate } from '../../../src/plan/create.js';
import { hostileNames } from '../../../src/testing/hostile-texts.js';
import { headOf, live, NOON } from '../../../src/testing/samples.js';
import { type Reply, send } from '../../http/client.js';
import { listening } from '../../http/serve.js';
import type { RunningServer } from '../../http/world.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { effort, record, triedClients } from '../support/effort.js';

/**
 * Every string once, as names can be: not empty, not too long, and without halves of a character,
 * which no path carries.
 */
const names = [...new Set([...naughty, ...hostileNames])].filter(
  (name) => name !== '' && name.length <= 256 && !/\p{Surrogate}/u.test(name),
);
const some = effort(
  names.filter((_, at) => at % 4 === 0),
  names,
);

/** A server on which the nth key opens the tenant called by the nth name. */
class NamedWorld {
  readonly sessions: SessionService;
  readonly #store: SessionStore;
  #server: RunningServer | undefined;

  constructor(store: SessionStore) {
    this.#store = store;
    this.sessions = new SessionService({ store });
  }

  async start(): Promise<void> {
    const authenticate = (key: string) => some[Number(key)];
    this.#server = await listening(
      nodeListener(createSessionHandler({ sessions: this.sessions, authenticate })),
    );
  }

  async stop(): Promise<void> {
    await this.#server?.close();
  }

  ask(at: number, path: string, body?: object): Promise<Reply> {
    const headers = { 'X-API-KEY': String(at), 'Content-Type': 'application/json' };
    const outgoing =
      body === undefined ? { headers } : { headers, method: 'POST', body: JSON.stringify(body) };
    return send(this.#server?.origin ?? '', path, outgoing);
  }

  /** Puts a session of this id into the store, as an import may, and lets it say its name. */
  async put(name: string): Promise<readonly boolean[]> {
    const begun = await this.#store.begin(
      planCreate(name, {
        head: headOf(name, NOON, optionsOf(name)),
        state: live('IDLE'),
        entries: [],
        guards: {},
      }),
    );
    const ours = this.sessions.forTenant(name);
    const started = await ours.start(name);
    const appended = await ours.append(name, [entryOf(name)]);
    return [begun, started, appended].map((answer) => answer.isOk());
  }
}

const optionsOf = (name: string) => ({ face: name, profile: name, context: name, behavior: name });
const entryOf = (name: string) => ({ role: name.slice(0, 64), content: name });

const wholly = async (store: SessionStore): Promise<void> => {
  const world = new NamedWorld(store);
  await world.start();
  try {
    for (const [at, name] of some.entries()) {
      expect((await world.ask(at, '/create-session', optionsOf(name))).status).toBe(201);
      expect(await world.put(name)).toEqual([true, true, true]);
    }
    // Not until all are there: names that a store takes for one another would have met by now.
    for (const [at, name] of some.entries()) {
      const options = { ...optionsOf(name), time_limit: 0 };
      const put = { id: name, status: 'ACTIVE', options, history: [entryOf(name)] };
      const listed = await world.ask(at, '/sessions');
      expect(listed.json()).toMatchObject([{ status: 'IDLE', options, history: [] }, put]);
      const path = `/session/${encodeURIComponent(name)}`;
      expect((await world.ask(at, path)).json()).toMatchObject(put);
      expect((await world.ask((at + 1) % some.length, path)).status).toBe(404);
    }
    for (const name of some)
      expect((await world.sessions.forTenant(name).delete(name)).isOk()).toBe(true);
    for (const at of some.keys())
      expect((await world.ask(at, '/sessions')).headers['x-total-count']).toBe('1');
  } finally {
    await world.stop();
  }
};

const PATIENCE_MS = effort(120_000, 300_000);
const TITLE =
  'are kept apart and read back byte for byte as tenant, id, face, profile, texts and content';

describe('naughty strings in memory', () => {
  test(TITLE, () => wholly(new MemorySessionStore()), PATIENCE_MS);
});

describeWithRedis('naughty strings in Redis', ({ port }) => {
  let leave: () => Promise<unknown> = async () => undefined;
  afterEach(() => leave());

  test.each(triedClients)(
    `${TITLE}, with %s`,
    async (version) => {
      const client = openClient(version, { port });
      leave = () => client.quit();
      await wholly(
        new RedisSessionStore({ client, prefix: `naughty ${version}`, timeoutMs: PATIENT_MS }),
      );
      record({
        promise: "no one sees another's sessions",
        figure: `names that are no plain words, ${version}`,
        value: some.length,
      });
    },
    PATIENCE_MS,
  );
});
