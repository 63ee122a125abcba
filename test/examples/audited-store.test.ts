import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type AuditEntry, AuditedSessionStore } from '../../examples/inversify/audited-store.js';
import { SessionService } from '../../src/index.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { replacing } from '../../src/testing/steps.js';
import { changed } from '../support/store-doubles.js';

const audited = (options?: { readonly events: boolean }) =>
  new AuditedSessionStore(new MemorySessionStore(options), () => undefined);

describe('the store of the inversify example', () => {
  describeSessionStore(test, () => audited({ events: true }));

  test('writes down what was done, once, and what may have been done', async () => {
    const kept: AuditEntry[] = [];
    const inner = changed(new MemorySessionStore(), {
      remove: () => err(storeUnavailable('no answer', 'unknown')),
    });
    const store = new AuditedSessionStore(inner, (entry) => void kept.push(entry));
    const sessions = new SessionService({ store, ids: { next: () => 'one' } });
    await sessions.create({ face: 'ada', profile: 'tutor' });
    await sessions.append('one', [{ role: 'user', content: 'too early' }]);
    await sessions.start('one', { operationId: 'start' });
    await sessions.start('one', { operationId: 'start' });
    await sessions.append('one', [{ role: 'user', content: 'Hello' }]);
    await sessions.append('nobody', [{ role: 'user', content: 'Hello' }]);
    const state = (await store.findState({ tenant: 'default', id: 'one' }))._unsafeUnwrap();
    if (state !== undefined) await replacing(store, { tenant: 'default', id: 'nobody' }, state);
    if (state !== undefined) await replacing(store, { tenant: 'default', id: 'one' }, state);
    await sessions.delete('one');
    expect(kept.map(({ action, outcome }) => `${action}: ${outcome}`)).toEqual([
      'create: done',
      'to ACTIVE: done',
      'append 1: done',
      'delete: unknown',
    ]);
  });
});
