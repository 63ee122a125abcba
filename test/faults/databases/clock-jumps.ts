import { expect, vi } from 'vitest';
import {
  type Clock,
  type EndedSession,
  type Session,
  SessionService,
  type SessionStore,
  type TenantChange,
} from '../../../src/index.js';
import { NOON, upTo } from '../../../src/testing/samples.js';
import { okOf } from '../../support/sessions.js';
import { record } from '../support/effort.js';
import { audit } from './audit.js';
import { Conversation } from './conversation.js';
import { thereIs } from './ledger.js';

const HOUR = 3_600_000;
const TENANT = 'default';

/**
 * Without `after`: a watch of a store that sends no notifications polls by the machine's timers.
 */
class JumpingClock implements Clock {
  aheadMs = 0;

  now(): number {
    return NOON + this.aheadMs;
  }
}

/** Collects what a watch of the tenant gives, until there are so many items. */
const watched = (sessions: SessionService, count: number, signal: AbortSignal) => {
  const items: TenantChange[] = [];
  let isOpen: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    isOpen = resolve;
  });
  const all = (async () => {
    for await (const item of sessions.watchAll({ signal, onOpen: isOpen, leases: true })) {
      items.push(item._unsafeUnwrap());
      if (items.length >= count) break;
    }
    return items;
  })();
  return { opened, all };
};

/**
 * Two hosts of one database change sessions by turns, while their clocks and that of the machine
 * jump forwards and backwards by up to an hour. The clocks of the engine only order what is told:
 * nothing may be missing, told twice or out of order, no session may be due for ever or ended
 * twice.
 */
export const expectToBearClockJumps = async (
  promise: string,
  stores: readonly [SessionStore, SessionStore],
  random: () => number,
  changes: number,
): Promise<void> => {
  const hosts = stores.map((store) => {
    const clock = new JumpingClock();
    return { clock, sessions: new SessionService({ store, clock }) };
  });
  const [first = hosts[0], other = first] = hosts;
  if (first === undefined || other === undefined) throw new Error('there are two hosts');
  const realNow = Date.now;
  let jumpedMs = 0;
  const now = vi.spyOn(Date, 'now').mockImplementation(() => realNow() + jumpedMs);
  const end = new AbortController();
  try {
    const watch = watched(other.sessions, changes, end.signal);
    await watch.opened;
    const conversation = new Conversation(random);
    let jumps = 0;
    const jump = () => Math.round((random() * 2 - 1) * HOUR);
    while (conversation.changes < changes) {
      const { sessions, clock } = random() < 0.5 ? first : other;
      if (random() < 0.3) {
        jumps += 1;
        jumpedMs = jump();
        clock.aheadMs = jump();
      }
      await conversation.step(sessions);
    }
    const told = (await watch.all).map((item) =>
      item.type === 'events_lost' ? item.type : item.id,
    );

    // Both are two days ahead: whatever has a limit has used it up.
    for (const { clock } of hosts) clock.aheadMs = 48 * HOUR;
    const ended: EndedSession[] = [];
    for (const _ of upTo(20)) {
      for (const { sessions, clock } of hosts) {
        clock.aheadMs = 48 * HOUR + jump();
        const swept = await okOf(
          sessions.sweep(100, { onEnded: (session) => void ended.push(session) }),
        );
        expect(swept.failed).toEqual([]);
      }
    }
    const sessions: Session[] = [];
    for await (const session of first.sessions.each()) sessions.push(session._unsafeUnwrap());
    const wrongly = sessions.filter(
      ({ duration, options }) => duration < 0 || duration > options.timeLimit,
    );
    const over = sessions.filter(({ status }) => status === 'TERMINATED').map(({ id }) => id);
    const byClock = sessions.filter(
      (one) => one.status === 'TERMINATED' && one.endReason === 'time_limit',
    );
    const reported = ended.map(({ id }) => id);
    const { untold, misplaced } = await audit(
      stores[0],
      [...conversation.ids].map((id) => thereIs(TENANT, id)),
    );
    const doubled = told.length - new Set(told).size;
    const tell = (figure: string, value: number, bar?: string) =>
      record({
        promise,
        figure: `clock jumps: ${figure}`,
        value,
        ...(bar === undefined ? {} : { bar }),
      });
    tell('jumps of up to an hour', jumps);
    tell('changes', conversation.changes);
    tell(
      'given twice to a watcher, or missing',
      doubled + told.filter((id) => id === 'events_lost').length,
      '0',
    );
    tell('changes without their event', untold.length, '0');
    tell('ends by the clock', byClock.length);
    tell('ends', reported.length);
    tell('ends told twice', reported.length - new Set(reported).size, '0');
    expect({ untold, misplaced, wrongly }).toEqual({ untold: [], misplaced: [], wrongly: [] });
    expect(doubled).toBe(0);
    expect(told).not.toContain('events_lost');
    expect(reported.toSorted()).toEqual([...over, ...conversation.deleted].toSorted());
    expect(sessions.filter(({ status }) => status === 'ACTIVE')).toEqual([]);
  } finally {
    end.abort();
    now.mockRestore();
  }
};
