import { ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService, type SessionStore, transition } from '../../src/index.js';
import { revoked } from '../support/hostile-values.js';
import { ada, okOf } from '../support/sessions.js';

/** A value that only JavaScript can pass. */
const untyped = (value: unknown): never => value as never;

describe('a service whose host breaks the rules', () => {
  test.for([undefined, null, 5, 'OK', {}])(
    'fails with store_unavailable if the store returns %j',
    async (answer) => {
      const store: SessionStore = Object.assign(new MemorySessionStore(), {
        begin: () => ok(untyped(answer)),
      });
      const created = await new SessionService({ store }).create(ada);
      expect(created.isErr() && created.error.type).toBe('store_unavailable');
    },
  );

  test('fails with store_unavailable if the store returns a thenable without a promise', async () => {
    // biome-ignore lint/suspicious/noThenProperty: a thenable is what this is about
    const thenable = { then: (resolve: (value: unknown) => void) => untyped(resolve(undefined)) };
    const store: SessionStore = Object.assign(new MemorySessionStore(), {
      find: () => untyped(thenable),
    });
    const read = await new SessionService({ store }).get('any');
    expect(read.isErr() && read.error.type).toBe('store_unavailable');
  });

  test('throws a TypeError for options that are a revoked proxy', () => {
    expect(() => new SessionService(untyped(revoked()))).toThrow(
      new TypeError('SessionService: options cannot be read: it throws'),
    );
  });

  test('reads an array of entries without its own methods', async () => {
    const sessions = new SessionService({
      store: new MemorySessionStore(),
      limits: { entriesPerAppend: 2 },
    });
    const { id } = await okOf(sessions.create(ada));
    await okOf(sessions.start(id));
    const entries = Object.assign([{ role: 'user', content: 'hello' }], { slice: () => [] });
    await okOf(sessions.append(id, untyped(entries)));
    expect((await okOf(sessions.get(id))).history).toHaveLength(1);
  });

  test('allows no command in an unknown status', () => {
    const answer = transition(untyped('BUSY'), 'start');
    expect(answer.isErr() && answer.error.type).toBe('invalid_transition');
  });
});
