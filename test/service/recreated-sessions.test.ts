import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/index.js';
import { planCreate } from '../../src/plan/create.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { errorOf, okOf } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const ada = { face: 'ada', profile: 'tutor' };
const tenant = 'default';

describe('a change decided on a session that was deleted since', () => {
  test('does not reach a session created under its idempotency key', async () => {
    const clock = new ManualClock();
    const inner = new MemorySessionStore();
    const sessions = new SessionService({ store: inner, clock });
    const input = { ...ada, idempotencyKey: 'lesson-1' };
    const { id } = await okOf(sessions.create({ ...input, timeLimit: 10 }));
    let isFirst = true;
    const store = changed(inner, {
      put: async (commit) => {
        if (isFirst) {
          isFirst = false;
          clock.pass(1);
          await okOf(sessions.delete(id));
          await okOf(sessions.create({ ...input, timeLimit: 0 }));
        }
        return inner.change(commit);
      },
    });
    await okOf(new SessionService({ store, clock }).start(id));
    clock.pass(60_000);
    expect(await okOf(sessions.get(id))).toMatchObject({ status: 'ACTIVE', duration: 60 });
  });

  test("does not reach a session created under the host's own id", async () => {
    const clock = new ManualClock();
    const store = new MemorySessionStore();
    const ids = { next: () => 'call-1' };
    const [first, second] = [
      new SessionService({ store, clock, ids }),
      new SessionService({ store, clock, ids }),
    ];
    const { id } = await okOf(
      first.create({ ...ada, timeLimit: 10, labels: { user: 'u-1' }, start: true }),
    );
    await okOf(second.delete(id));
    await okOf(second.create({ ...ada, timeLimit: 99, labels: { user: 'u-2' }, start: true }));
    await okOf(first.pause(id));
    const session = await okOf(second.get(id));
    expect(session).toMatchObject({
      status: 'PAUSED',
      labels: { user: 'u-2' },
      options: { timeLimit: 99 },
    });
  });
});

/** A store that can lose its latest writes, like after a failover or a restored backup. */
const restorable = () => {
  let current = new MemorySessionStore();
  const store: SessionStore = new Proxy(current, {
    get: (_, name) => {
      const member: unknown = Reflect.get(current, name);
      return typeof member === 'function' ? member.bind(current) : member;
    },
  });
  const backup = (id: string) => {
    const record = current.find({ tenant, id })._unsafeUnwrap();
    if (record === undefined) throw new Error('the session is not there');
    return () => {
      current = new MemorySessionStore();
      const { head, state, history: entries } = record;
      current.begin(planCreate(tenant, { head, state, entries, guards: {} }));
    };
  };
  return { store, backup };
};

describe('a process whose last writes a failover lost', () => {
  const open = async () => {
    const { store, backup } = restorable();
    const clock = new ManualClock();
    const [lost, other] = [
      new SessionService({ store, clock }),
      new SessionService({ store, clock }),
    ];
    const { id } = await okOf(lost.create({ ...ada, start: true }));
    const restore = backup(id);
    await okOf(lost.update(id, { labels: { owner: 'lost' } }));
    const lostLease = await okOf(lost.lease(id, { holder: 'lost', seconds: 60 }));
    restore();
    await okOf(other.update(id, { labels: { owner: 'other' } }));
    const lease = await okOf(other.lease(id, { holder: 'other', seconds: 60 }));
    return { lost, other, id, lostLease, lease };
  };

  test('does not overwrite labels that another process has written since', async () => {
    const { lost, other, id } = await open();
    await okOf(lost.pause(id));
    expect(await okOf(other.get(id))).toMatchObject({
      status: 'PAUSED',
      labels: { owner: 'other' },
    });
  });

  test('does not hold the session by its lost lease', async () => {
    const { lost, other, id, lostLease, lease } = await open();
    const { fencingToken } = lostLease;
    expect(fencingToken).not.toBe(lease.fencingToken);
    const entries = [{ role: 'assistant', content: 'hello' }];
    expect(await errorOf(lost.append(id, entries, { fencingToken }))).toMatchObject({
      type: 'lease_lost',
    });
    expect(await errorOf(lost.renew(id, { fencingToken, seconds: 60 }))).toMatchObject({
      type: 'lease_lost',
    });
    expect((await okOf(other.get(id))).lease).toEqual(lease);
  });
});
