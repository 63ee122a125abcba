import { describe, expect, test } from 'vitest';
import { EventOrder, type EventOrderOptions, HOLD_MS } from '../../src/events/event-order.js';
import type { SessionEvent } from '../../src/index.js';

const LATER = 5_000_000;

/** Events as `a3@120`: change 3 of the session with birth `a`, logged at millisecond 120; `a3!` is its deletion. */
const eventOf = (text: string, sessionId = 'one'): SessionEvent => {
  const [, birth = '', sequence = '', end = '', ms = '0'] = /^([a-z]+)(\d+)(!?)(?:@(\d+))?$/.exec(text) ?? [];
  return {
    type: end === '!' ? 'session.deleted' : 'session.paused',
    id: `${birth}.${sequence}`,
    tenant: 't',
    sessionId,
    sequence: Number(sequence),
    at: '',
    position: `${ms}-${sequence}`,
  };
};

const open = (options: EventOrderOptions = {}) => {
  const order = new EventOrder(options);
  const given = (): readonly string[] => {
    const all: string[] = [];
    for (let next = order.next(); next !== undefined; next = order.next()) {
      all.push(next === 'gap' ? next : next.id.replace('.', ''));
    }
    return all;
  };
  const add = (texts: string, now = 0, sessionId?: string): readonly string[] => {
    for (const text of texts.split(' ')) order.add(eventOf(text, sessionId), now);
    return given();
  };
  return { order, given, add };
};

describe('the events of a session', () => {
  test('come in the order of their sequence, each once, however they were written', () => {
    const { add } = open();
    expect(add('a1')).toEqual(['a1']);
    expect(add('a3 a4')).toEqual([]);
    expect(add('a2')).toEqual(['a2', 'a3', 'a4']);
    expect(add('a2 a4 a3 a1')).toEqual([]);
    expect(add('a5')).toEqual(['a5']);
  });

  test('wait for a missing one for a bounded time, then the gap is reported and they follow', () => {
    const { order, add, given } = open();
    add('a1');
    add('a3 a4', 1000);
    expect(order.expiresAt).toBe(1000 + HOLD_MS);
    order.expire(999 + HOLD_MS);
    expect(given()).toEqual([]);
    order.expire(1000 + HOLD_MS);
    expect(given()).toEqual(['gap', 'a3', 'a4']);
    expect(order.expiresAt).toBe(Number.POSITIVE_INFINITY);
    // The missing event arrives too late: the gap was reported.
    expect(add('a2 a5')).toEqual(['a5']);
  });

  test('wait no longer than that by the clock of the log, where a reader is late', () => {
    const { add } = open();
    add('a1@100');
    expect(add('a3@200')).toEqual([]);
    expect(add(`a4@${199 + HOLD_MS}`)).toEqual([]);
    expect(add(`a5@${200 + HOLD_MS}`)).toEqual(['gap', 'a3', 'a4', 'a5']);
  });

  test('do not wait for those of other sessions', () => {
    const { order, add } = open();
    add('a1', 0, 'one');
    expect(add('a3', 0, 'one')).toEqual([]);
    expect(add('b7 b8', 0, 'two')).toEqual(['b7', 'b8']);
    expect(order.earliestWaiting).toBe('0-3');
  });

  test('begin with the first that arrives; an earlier one that arrives later is reported as missing, once', () => {
    const { add } = open();
    expect(add('a7 a8')).toEqual(['a7', 'a8']);
    expect(add('a6')).toEqual(['gap']);
    expect(add('a6 a5 a9')).toEqual(['a9']);
  });

  test('begin with 1 where they are read from the very beginning', () => {
    const { order, add, given } = open({ isFromBeginning: true });
    expect(add('a3')).toEqual([]);
    expect(add('a1 a2')).toEqual(['a1', 'a2', 'a3']);
    expect(add('b2', 0, 'two')).toEqual([]);
    order.expire(HOLD_MS);
    expect(given()).toEqual(['gap', 'b2']);
  });

  test('of a session that is created again under its id follow the deletion of the one before', () => {
    const { add } = open();
    add('a1 a2');
    expect(add('b1 b2')).toEqual([]);
    expect(add('a3!')).toEqual(['a3', 'b1', 'b2']);
    expect(add('a3! a2 b3')).toEqual(['b3']);
  });

  test('go on with the new session where the deletion of the one before is missing', () => {
    const { order, add, given } = open();
    add('a1');
    add('b1');
    order.expire(HOLD_MS);
    expect(given()).toEqual(['gap', 'b1']);
    expect(add('a2! b2')).toEqual(['b2']);
  });

  test('go on behind a snapshot', () => {
    const { order, add, given } = open();
    add('a1');
    add('a4 a7');
    order.reset('one', 'a', 5);
    expect(given()).toEqual([]);
    expect(add('a6')).toEqual(['a6', 'a7']);
  });

  test('are taken as they come where any may be missing', () => {
    const { order, add, given } = open();
    add('a1', 0, 'one');
    add('b1', 0, 'two');
    add('b5', 0, 'two');
    order.forget();
    expect(given()).toEqual(['gap', 'b5']);
    expect(add('a9', 0, 'one')).toEqual(['a9']);
  });
});

describe('what is held', () => {
  test('shows where to go on so that nothing is missed', () => {
    const { order, add } = open();
    add('a1@100');
    expect([order.earliestWaiting, order.latest?.id]).toEqual([undefined, 'a.1']);
    add('a3@200 a4@210');
    expect(order.earliestWaiting).toBe('200-3');
    order.add(eventOf('a2@220'), 0);
    expect(order.next()).toMatchObject({ id: 'a.2' });
    expect(order.earliestWaiting).toBe('200-3');
    order.next();
    expect(order.earliestWaiting).toBe('210-4');
    order.next();
    expect([order.earliestWaiting, order.latest?.id]).toEqual([undefined, 'a.2']);
  });

  test('is bounded: beyond it, the oldest gap is reported', () => {
    const { add } = open();
    add('a1');
    const many = Array.from({ length: 1001 }, (_, at) => `a${at + 3}`);
    expect(add(many.join(' '))).toEqual(['gap', ...many]);
  });

  test('is held of a bounded number of sessions: who was quiet for longest is taken as it comes', () => {
    const { add } = open({ maxSessions: 2 });
    for (const session of ['a', 'b', 'c']) add(`${session}1`, 0, session);
    expect(add('a5', 0, 'a')).toEqual(['a5']);
    expect(add('c5', 0, 'c')).toEqual([]);
  });

  test('has no order of its own with an event that is not from the log', () => {
    const { order, given, add } = open();
    add('a1@100');
    order.add(eventOf('a3@7'), 0, false);
    expect([given(), order.latest?.id]).toEqual([[], 'a.1']);
    expect(add(`a2@${LATER}`)).toEqual(['a2', 'a3']);
  });
});
