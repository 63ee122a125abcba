import { ok, type ResultAsync } from 'neverthrow';
import { describe, expect, test, vi } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { ObservedOperation, OperationResult, SessionObserver } from '../../src/index.js';
import type { OperationError } from '../../src/session/errors.js';
import { PATIENT_MS } from '../support/patience.js';
import { ada, call, createdIn, errorOf, okOf, openSessions } from '../support/sessions.js';

type Call = () => ResultAsync<OperationResult, OperationError>;

/** Records the operations that it observes, and their results. */
const recorder = () => {
  const seen: ObservedOperation[] = [];
  const ends: string[] = [];
  const observer: SessionObserver = {
    async run(operation, carryOut) {
      seen.push(operation);
      ends.push(
        (await carryOut()).match(
          () => 'ok',
          ({ type }) => type,
        ),
      );
    },
  };
  return { observer, seen, ends };
};

describe('observers', () => {
  test('see every operation, with its tenant, its session and its end', async () => {
    const { observer, seen, ends } = recorder();
    const { sessions } = openSessions({ observers: [observer] });
    const id = await createdIn(sessions);
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(sessions.pause(id));
    await okOf(sessions.resume(id));
    await okOf(sessions.history(id));
    await okOf(sessions.get(id));
    await okOf(sessions.terminate(id));
    await errorOf(sessions.fail('nobody'));
    await okOf(sessions.list());
    for await (const session of sessions.each()) expect(session.isOk()).toBe(true);
    await okOf(sessions.sweep());
    await okOf(sessions.forTenant('acme').delete(id));
    const named = ['start', 'append', 'pause', 'resume', 'history', 'get', 'terminate'];
    expect(seen).toEqual([
      { name: 'create', tenant: 'default' },
      ...named.map((name) => ({ name, tenant: 'default', id })),
      { name: 'fail', tenant: 'default', id: 'nobody' },
      { name: 'list', tenant: 'default' },
      { name: 'each', tenant: 'default' },
      { name: 'sweep', tenant: 'default' },
      { name: 'delete', tenant: 'acme', id },
    ]);
    expect(ends.filter((end) => end !== 'ok')).toEqual(['not_found']);
  });

  test('see the arguments of an operation, whatever they are', async () => {
    const { observer, seen, ends } = recorder();
    const { sessions } = openSessions({ observers: [observer] });
    const id = { toString: () => 's1' };
    expect((await call(sessions, 'get', id)).isErr()).toBe(true);
    expect(seen[0]?.id).toBe(id);
    expect(ends).toEqual(['invalid_input']);
  });

  test('run one operation with one result, however many they are and however often they call', async () => {
    const store = new MemorySessionStore();
    const begin = vi.spyOn(store, 'begin');
    const answers: unknown[] = [];
    const eager: SessionObserver = {
      async run(_operation, carryOut) {
        answers.push(await carryOut(), await carryOut());
      },
    };
    const { sessions } = openSessions({ store, observers: [eager, eager] });
    const created = await sessions.create(ada);
    expect(begin).toHaveBeenCalledTimes(1);
    const seen = created.map((value) => ({ operation: 'create', value }));
    await vi.waitFor(() => expect(answers).toEqual([seen, seen, seen, seen]), {
      timeout: PATIENT_MS,
    });
  });

  test('receive each result under the name of its operation, which implies its type', async () => {
    const told: unknown[] = [];
    const observer: SessionObserver = {
      async run({ name }, carryOut) {
        const result = (await carryOut())._unsafeUnwrap();
        expect(result.operation).toBe(name);
        if (result.operation === 'create') told.push(result.value.id.length);
        if (result.operation === 'start') told.push(result.value.status);
        if (result.operation === 'append') told.push(typeof result.value.position);
        if (result.operation === 'history') told.push(result.value.entries.length);
        if (result.operation === 'list' || result.operation === 'each')
          told.push(result.value.total);
        if (result.operation === 'delete') told.push(result.value);
        if (result.operation === 'sweep') told.push(result.value.ended);
      },
    };
    const { sessions } = openSessions({ observers: [observer] });
    const id = await createdIn(sessions);
    await okOf(sessions.start(id));
    await okOf(sessions.append(id, [{ role: 'user', content: 'hello' }]));
    await okOf(sessions.history(id));
    await okOf(sessions.list());
    for await (const session of sessions.each()) expect(session.isOk()).toBe(true);
    await okOf(sessions.sweep());
    await okOf(sessions.delete(id));
    expect(told).toEqual([id.length, 'ACTIVE', 'number', 1, 1, 1, [], undefined]);
  });

  test('wrap the operation in their call', async () => {
    const order: string[] = [];
    const store = new MemorySessionStore();
    vi.spyOn(store, 'findState').mockImplementation(() => {
      order.push('store');
      return ok(undefined);
    });
    const around: SessionObserver = {
      run(_operation, carryOut) {
        order.push('before');
        carryOut();
        order.push('after');
      },
    };
    await errorOf(openSessions({ store, observers: [around] }).sessions.start('s1'));
    expect(order).toEqual(['before', 'store', 'after']);
  });

  const harmful: Readonly<Record<string, (carryOut: Call) => unknown>> = {
    'calls nothing': () => undefined,
    throws: () => {
      throw new Error('observer');
    },
    'throws when it has called': (carryOut) => {
      carryOut();
      throw new Error('observer');
    },
    'rejects when it has called': async (carryOut) => {
      await carryOut();
      throw new Error('observer');
    },
    'never ends': () => new Promise(() => {}),
    'gives another answer': () => ok('another'),
  };

  test.for(Object.entries(harmful))('change no result if one of them %s', async ([, run]) => {
    const { observer, seen } = recorder();
    const { sessions } = openSessions({
      observers: [{ run: (_operation, carryOut) => run(carryOut) }, observer],
    });
    const id = await createdIn(sessions);
    expect((await okOf(sessions.start(id))).status).toBe('ACTIVE');
    expect(seen.map(({ name }) => name)).toEqual(['create', 'start']);
  });

  test.for([5, {}, [undefined], ['observer']])(
    'are rejected by name if they are %j',
    (observers) => {
      expect(() => openSessions(Object({ observers }))).toThrow(
        new TypeError('SessionService: observers must be an array of SessionObservers'),
      );
    },
  );
});
