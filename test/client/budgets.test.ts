import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { RemoteErrors } from '../../src/client/index.js';
import { type OperationErrors, type SessionOperations, SessionService } from '../../src/index.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, okOf } from '../support/sessions.js';
import { outcome } from './comparable.js';
import { json, scripted, unplugged } from './scripted.js';
import { serve } from './served.js';

type Either = SessionOperations<OperationErrors | RemoteErrors>;

const said = [{ role: 'assistant', content: 'Yes.' }];

/** What is counted and refused, and what each step answered. */
const scenario = async (sessions: Either): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  const budget = { micro_usd: 50, inputTokens: 1000 };
  const { id } = await sessions.orThrow.create({ ...ada, start: true, budget });
  const shown = async () => {
    const { usage, budget: limits, status } = await sessions.orThrow.get(id);
    return { usage, budget: limits, status };
  };
  seen.push(await shown());
  const once = { operationId: 'call-1' };
  seen.push(outcome(await sessions.spend(id, { inputTokens: 7 }, once)));
  seen.push(outcome(await sessions.spend(id, { inputTokens: 7 }, once)));
  seen.push(outcome(await sessions.spend(id, { inputTokens: 8 }, once)));
  seen.push(outcome(await sessions.spend('nobody', { inputTokens: 8 })));
  seen.push(outcome(await sessions.spend(id, { inputTokens: 8 }, { fencingToken: 1 })));
  const wrong = [{ microUsd: 1 }, { input_tokens: 1 }, { inputTokens: -1 }, { micro_usd: 0.5 }];
  for (const usage of [...wrong, { inputTokens: Number.NaN }, { 'a b': 1 }, {}]) {
    seen.push(outcome(await sessions.spend(id, usage)));
    seen.push(outcome(await sessions.append(id, said, { usage })));
    seen.push(outcome(await sessions.rewind(id, { to: 0, ifPosition: 0, usage })));
    seen.push(outcome(await sessions.create({ ...ada, budget: { ...usage, calls: 0 } })));
    seen.push(outcome(await sessions.extend(id, { budget: { ...usage, calls: 0 } })));
  }
  seen.push(outcome(await sessions.extend(id, {})));
  seen.push(outcome(await sessions.append(id, said, { usage: { micro_usd: 3 } })));
  const { position } = await sessions.orThrow.history(id);
  const rewind = { to: 0, ifPosition: position, usage: { micro_usd: 4 } };
  seen.push(outcome(await sessions.rewind(id, rewind)));
  seen.push(outcome(await sessions.extend(id, { budget: { inputTokens: 7 } })));
  const extended = await sessions.extend(id, { budget: { inputTokens: 2000 } });
  seen.push(outcome(extended, ({ status, usage }) => [status, usage]));
  await sessions.orThrow.send(id, { id: 'm-1', content: 'Hello' });
  const { claimed } = await sessions.orThrow.claim({ holder: 'worker-1', seconds: 30 });
  const release = { fencingToken: claimed[0]?.lease.fencingToken ?? 0, usage: { micro_usd: 5 } };
  seen.push(outcome(await sessions.release(id, release)));
  seen.push(outcome(await sessions.release(id, { ...release, done: true, entries: 'Hi!' })));
  const { sessions: page } = await sessions.orThrow.list();
  seen.push(page.map(({ usage, budget: limits }) => [usage, limits]));
  seen.push(await shown());
  seen.push(outcome(await sessions.spend(id, { micro_usd: 38 })));
  seen.push(await shown());
  seen.push(outcome(await sessions.spend(id, { micro_usd: 1 })));
  return seen;
};

describe('budgets in the client', () => {
  test('are counted and enforced as in the service', async () => {
    const store = new MemorySessionStore({ events: true });
    const clock = new ManualClock();
    const local = new SessionService({ store, clock, tenant: 'acme' });
    const expected = await scenario(local);
    const { client } = await serve({ usage: true });
    expect(await scenario(client)).toEqual(expected);
    expect(expected).toContainEqual({
      usage: { inputTokens: 7, micro_usd: 12 },
      budget: { inputTokens: 2000, micro_usd: 50 },
      status: 'ACTIVE',
    });
  });

  test('warn a watch with the counter at the requested share', async () => {
    const { client } = await serve();
    const { id } = await okOf(client.create({ ...ada, start: true, budget: { tokens: 10 } }));
    await okOf(client.spend(id, { tokens: 5 }));
    const seen: unknown[] = [];
    for await (const change of client.watch(id, { warnAt: 0.5 })) {
      seen.push(change._unsafeUnwrap());
      if (seen.length === 2) await okOf(client.spend(id, { tokens: 5 }));
    }
    expect(seen).toMatchObject([
      { type: 'session.snapshot' },
      { type: 'session.expiring', endReason: 'budget', counter: 'tokens' },
      { type: 'session.changed', session: { status: 'TERMINATED' } },
    ]);
    expect(seen[1]).not.toHaveProperty('endsAt');
  });

  test('are spent once, however often the request is sent', async () => {
    const { client, sent } = scripted([unplugged, unplugged, json(200, {})]);
    expect(await okOf(client.spend('s1', { tokens: 5 }))).toEqual({});
    const keys = sent.map(({ headers }) => headers.get('idempotency-key'));
    expect([sent.length, new Set(keys).size]).toEqual([3, 1]);
    expect(keys[0]).toMatch(/./);
  });
});
