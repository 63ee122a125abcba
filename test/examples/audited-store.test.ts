import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type AuditEntry, AuditedSessionStore } from '../../examples/inversify/audited-store.js';
import { SessionService } from '../../src/index.js';
import { planReplace } from '../../src/plan/replace.js';
import { storeUnavailable } from '../../src/session/errors.js';
import { describeSessionStore } from '../../src/testing/index.js';
import { withoutLargeCases } from '../support/contract-cases.js';
import { changed } from '../support/store-doubles.js';

const audited = (options?: { readonly events: boolean }) =>
  new AuditedSessionStore(new MemorySessionStore(options), () => undefined);

describe('the store of the inversify example', () => {
  describeSessionStore(withoutLargeCases(test), () => audited({ events: true }));

  test('records each applied call once, and calls that may have been applied', async () => {
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
    if (state === undefined) throw new Error('the session is not there');
    const stale = { ...state, revision: state.revision + 1 };
    for (const id of ['nobody', 'one'])
      await store.change(
        planReplace({ tenant: 'default', id }, { previous: stale, state, now: 0 }),
      );
    await sessions.delete('one');
    expect(kept.map(({ action, outcome }) => `${action}: ${outcome}`)).toEqual([
      'create: done',
      'to ACTIVE: done',
      'append 1: done',
      'delete: unknown',
    ]);
  });
});
