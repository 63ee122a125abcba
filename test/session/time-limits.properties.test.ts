import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { changeStatus } from '../../src/session/change-status.js';
import { initialState } from '../../src/session/initial-state.js';
import { sessionAt } from '../../src/session/session-at.js';
import {
  noOptions,
  type SessionRecord,
  type StateRecord,
} from '../../src/session/session-record.js';
import type { CallerCommand, EndReason, SessionStatus } from '../../src/session/session-status.js';
import { stateAt } from '../../src/session/time-limits.js';
import { noTerms } from '../../src/testing/samples.js';
import { NOON } from '../support/manual-clock.js';

/** The simplest model of a session: it processes time one millisecond after another. */
class Model {
  status: SessionStatus = 'IDLE';
  endReason: EndReason | undefined;
  activeMs = 0;
  #waitedMs = 0;
  readonly #limitMs: number;
  readonly #idleMs: number;

  constructor(limitMs: number, idleMs: number) {
    this.#limitMs = limitMs;
    this.#idleMs = idleMs;
  }

  pass(ms: number): void {
    for (let passed = 0; passed < ms; passed += 1) {
      if (this.status === 'ACTIVE') {
        this.activeMs += 1;
        if (this.activeMs >= this.#limitMs) this.#end('time_limit');
      } else if (this.status !== 'TERMINATED') {
        this.#waitedMs += 1;
        if (this.#waitedMs >= this.#idleMs) this.#end('idle_timeout');
      }
    }
  }

  /** Whether the command is allowed. */
  obey(command: CallerCommand): boolean {
    if (command === 'start' && this.status === 'IDLE') return this.#enter('ACTIVE');
    if (command === 'pause' && this.status === 'ACTIVE') return this.#enter('PAUSED');
    if (command === 'resume' && this.status === 'PAUSED') return this.#enter('ACTIVE');
    if (command === 'terminate') return this.status === 'TERMINATED' || this.#end('terminated');
    if (command === 'fail') return this.status !== 'TERMINATED' && this.#end('failed');
    return false;
  }

  #enter(status: SessionStatus): boolean {
    this.status = status;
    this.#waitedMs = 0;
    return true;
  }

  #end(reason: EndReason): boolean {
    this.endReason = reason;
    return this.#enter('TERMINATED');
  }
}

const head = {
  id: 's1',
  options: { ...noOptions, face: 'ada', profile: 'tutor' },
  createdAt: new Date(NOON).toISOString(),
};

const recordOf = (state: StateRecord): SessionRecord => ({
  head,
  state,
  history: [],
  historyCount: 0,
  sequence: 1,
  historyVersion: 'b.0',
  historyPosition: 0,
});

const commands = fc.constantFrom<CallerCommand[]>(
  'start',
  'pause',
  'resume',
  'start',
  'pause',
  'resume',
  'terminate',
  'fail',
);
const steps = fc.array(
  fc.record({ wait: fc.nat({ max: 1500 }), command: commands, settles: fc.boolean() }),
  {
    maxLength: 12,
  },
);
const span = fc.oneof(fc.integer({ min: 1, max: 4000 }), fc.constant(Number.POSITIVE_INFINITY));

const firstState = ({ limitMs, idleTimeoutMs }: Script): StateRecord =>
  initialState({ limitMs, terms: { ...noTerms, idleTimeoutMs }, revision: 7, now: NOON });

/** Runs the steps on the engine, and hands every state with its time to `look`. */
const play = (
  script: Script,
  look: (state: StateRecord, now: number, step: number, allowed: boolean) => void,
): void => {
  let now = NOON;
  let state = firstState(script);
  for (const [step, { wait, command, settles }] of script.script.entries()) {
    now += wait;
    if (settles) state = stateAt(state, now);
    const next = changeStatus(state, command, { now });
    state = next.unwrapOr(state);
    look(state, now, step, next.isOk());
  }
};

interface Script {
  readonly limitMs: number;
  readonly idleTimeoutMs: number;
  readonly script: readonly {
    readonly wait: number;
    readonly command: CallerCommand;
    readonly settles: boolean;
  }[];
}

const scripts: fc.Arbitrary<Script> = fc.record({
  limitMs: span,
  idleTimeoutMs: span,
  script: steps,
});

describe('after any commands at any times', () => {
  test('status, reason and duration match the simple model', () => {
    fc.assert(
      fc.property(scripts, fc.nat({ max: 5000 }), (script, rest) => {
        const model = new Model(script.limitMs, script.idleTimeoutMs);
        let last: [state: StateRecord, now: number] = [firstState(script), NOON];
        play(script, (state, now, step, allowed) => {
          const { wait, command } = script.script[step] ?? { wait: 0, command: 'fail' };
          model.pass(wait);
          expect(allowed).toBe(model.obey(command));
          expect(sessionAt(recordOf(state), now)).toMatchObject(seen(model));
          last = [state, now];
        });
        model.pass(rest);
        const [state, now] = last;
        expect(sessionAt(recordOf(state), now + rest)).toMatchObject(seen(model));
      }),
      { numRuns: 300 },
    );
  });

  test('storing an end early, late or never makes no visible difference', () => {
    fc.assert(
      fc.property(
        scripts,
        fc.nat({ max: 5000 }),
        fc.nat({ max: 5000 }),
        (script, seenAfter, readAfter) => {
          play(script, (state, now) => {
            const first = Math.min(seenAfter, readAfter);
            const written = stateAt(state, now + first);
            expect(sessionAt(recordOf(written), now + readAfter)).toEqual(
              sessionAt(recordOf(state), now + readAfter),
            );
          });
        },
      ),
      { numRuns: 200 },
    );
  });

  test('the duration of one state is never negative and never shrinks, in any order of times', () => {
    fc.assert(
      fc.property(
        scripts,
        fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 2, maxLength: 10 }),
        (script, times) => {
          play(script, (state) => {
            const durations = times
              .toSorted((a, b) => a - b)
              .map((at) => sessionAt(recordOf(state), NOON + at).duration);
            expect(durations).toEqual(durations.toSorted((a, b) => a - b));
            expect(durations[0]).toBeGreaterThanOrEqual(0);
          });
        },
      ),
      { numRuns: 200 },
    );
  });
});

const seen = ({ status, endReason, activeMs }: Model) => ({
  status,
  duration: Math.floor(activeMs / 1000),
  ...(endReason === undefined ? {} : { endReason }),
});
