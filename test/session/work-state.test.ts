import { describe, expect, test } from 'vitest';
import type { StateRecord } from '../../src/session/session-record.js';
import { wakeAtOf } from '../../src/session/work-state.js';
import { ended, live, NOON } from '../../src/testing/samples.js';

const NEVER = Number.POSITIVE_INFINITY;
const UNTIL = NOON + 1000;

const lease = { holder: 'worker', fencingToken: 1, takenAt: NOON, until: UNTIL };
const claim = { ...lease, maxAttempts: 10 };
const released = { ...lease, until: 0, releasedAt: NOON + 7 };

const sooner = NOON + 5;
const later = UNTIL + 5;
/** After an attempt that has failed, by the fencing token. */
const AFTER_CRASH = UNTIL + 500;

const states: readonly (readonly [is: string, wakeAt: number, state: StateRecord])[] = [
  ['that waits for no worker', NEVER, live('ACTIVE')],
  ['that is idle and waits', sooner, live('IDLE', { work: { wakeAt: sooner } })],
  ['that is active and waits', sooner, live('ACTIVE', { work: { wakeAt: sooner } })],
  [
    'that is paused, and waits until it is resumed',
    NEVER,
    live('PAUSED', { work: { wakeAt: sooner } }),
  ],
  [
    'in whose inbox a message waits',
    sooner,
    live('ACTIVE', { work: { inbox: 1, askedAt: sooner } }),
  ],
  [
    'whose message came before a failed attempt',
    later,
    live('ACTIVE', { work: { inbox: 1, retryAt: later } }),
  ],
  [
    'that was sent a message after a failed attempt',
    sooner,
    live('ACTIVE', { work: { inbox: 2, askedAt: sooner, retryAt: later } }),
  ],
  [
    'that is claimed and was sent a message',
    UNTIL,
    live('ACTIVE', { work: { lease: claim, inbox: 1, askedAt: sooner } }),
  ],
  [
    'whose turn is cancelled, and may have last words',
    NEVER,
    live('ACTIVE', { work: { lease: { ...claim, cancelled: {} } } }),
  ],
  [
    'whose turn is cancelled, and that was sent a message',
    UNTIL,
    live('ACTIVE', { work: { lease: { ...claim, cancelled: {} }, inbox: 1, askedAt: sooner } }),
  ],
  ['that has ended', NEVER, ended('failed', { work: { wakeAt: sooner } })],
  ['that has ended while it was claimed', NEVER, ended('failed', { work: { lease: claim } })],
  ['with a lease, that waits for no worker', NEVER, live('ACTIVE', { work: { lease } })],
  [
    'with a lease, that waits before its end',
    UNTIL,
    live('ACTIVE', { work: { lease, wakeAt: sooner } }),
  ],
  [
    'with a lease, that waits after its end',
    later,
    live('ACTIVE', { work: { lease, wakeAt: later } }),
  ],
  [
    'that is claimed for the last time',
    UNTIL,
    live('ACTIVE', { work: { lease: claim, attempts: 10 } }),
  ],
  ['that is claimed', AFTER_CRASH, live('ACTIVE', { work: { lease: claim } })],
  [
    'that is claimed and was woken',
    UNTIL,
    live('ACTIVE', { work: { lease: claim, wakeAt: sooner } }),
  ],
  [
    'that is claimed and waits for a worker later',
    later,
    live('ACTIVE', { work: { lease: claim, wakeAt: later } }),
  ],
  ['that was released', NEVER, live('ACTIVE', { work: { lease: released } })],
  [
    'that was released and waits',
    sooner,
    live('ACTIVE', { work: { lease: released, wakeAt: sooner } }),
  ],
];

describe('when a worker may claim a session', () => {
  test.each(states)('of a session %s: %d', (_, wakeAt, state) => {
    expect(wakeAtOf(state)).toBe(wakeAt);
  });
});
