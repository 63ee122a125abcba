import { describe, expect, test } from 'vitest';
import {
  acceptsHistory,
  clockCommands,
  type EndReason,
  type SessionCommand,
  type SessionStatus,
  transitions,
} from '../../src/session/session-status.js';
import { transition } from '../../src/session/transition.js';

type Cell = 'IDLE' | 'ACTIVE' | 'PAUSED' | EndReason | 'unchanged' | 'refused';

const statuses: readonly SessionStatus[] = ['IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'];

/**
 * What each command does, in the order of `statuses`: the table of the README once more, by another
 * hand.
 */
const expected: Readonly<Record<SessionCommand, readonly [Cell, Cell, Cell, Cell]>> = {
  start: ['ACTIVE', 'refused', 'refused', 'refused'],
  pause: ['refused', 'PAUSED', 'refused', 'refused'],
  resume: ['refused', 'refused', 'ACTIVE', 'refused'],
  extend: ['IDLE', 'ACTIVE', 'PAUSED', 'refused'],
  terminate: ['terminated', 'terminated', 'terminated', 'unchanged'],
  fail: ['failed', 'failed', 'failed', 'refused'],
  expire: ['refused', 'time_limit', 'refused', 'refused'],
  time_out: ['idle_timeout', 'inactive', 'idle_timeout', 'refused'],
  use_up: ['budget', 'budget', 'budget', 'refused'],
};

const pairs = Object.entries(expected).flatMap(([command, row]) =>
  row.map((cell, index) => [statuses[index] ?? 'IDLE', command, cell] as const),
);

const isCommand = (text: string): text is SessionCommand => Object.hasOwn(expected, text);

const outcomeOf = (status: SessionStatus, command: string): Cell => {
  if (!isCommand(command)) throw new Error(`${command} is not a command`);
  return transition(status, command).match(
    (target): Cell => {
      if ('unchanged' in target) return 'unchanged';
      return target.status === 'TERMINATED' ? target.endReason : target.status;
    },
    (): Cell => 'refused',
  );
};

describe('the state machine', () => {
  test('has 4 statuses and 9 commands, and this test covers all pairs', () => {
    expect(pairs).toHaveLength(36);
    expect(Object.keys(transitions)).toEqual(statuses);
    const known = new Set(Object.values(transitions).flatMap((row) => Object.keys(row)));
    expect([...known].toSorted()).toEqual(Object.keys(expected).toSorted());
  });

  test.for(pairs)('%s, %s: %s', ([status, command, cell]) => {
    expect(outcomeOf(status, command)).toBe(cell);
  });

  test('refuses a command with its name and the status', () => {
    expect(transition('IDLE', 'pause')._unsafeUnwrapErr()).toEqual({
      type: 'invalid_transition',
      message: 'a session that is IDLE does not allow pause',
      status: 'IDLE',
      command: 'pause',
    });
  });

  test.for(['toString', 'constructor', '__proto__', 'hasOwnProperty', '', 'START', 'unchanged'])(
    'refuses an unknown command, even a property of every object: %j',
    (name) => {
      for (const status of statuses) {
        const refused: unknown = Reflect.apply(transition, undefined, [
          status,
          name,
        ])._unsafeUnwrapErr();
        expect(refused).toMatchObject({ type: 'invalid_transition', status, command: name });
      }
    },
  );

  test('accepts history while ACTIVE or PAUSED', () => {
    expect(acceptsHistory).toEqual({ IDLE: false, ACTIVE: true, PAUSED: true, TERMINATED: false });
  });

  test('contains the commands by which the clock ends sessions', () => {
    expect(clockCommands).toEqual({ IDLE: 'time_out', ACTIVE: 'expire', PAUSED: 'time_out' });
  });

  test('is frozen', () => {
    const isFrozen = (value: unknown): boolean =>
      typeof value !== 'object' ||
      value === null ||
      (Object.isFrozen(value) && Object.values(value).every(isFrozen));
    expect([transitions, acceptsHistory, clockCommands].every(isFrozen)).toBe(true);
  });
});
