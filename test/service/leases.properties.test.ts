import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { RedisSessionStore } from '../../adapters/redis/index.js';
import { SessionService } from '../../src/service/session-service.js';
import type { SessionStatus } from '../../src/session/session-status.js';
import type { SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeWithRedis } from '../support/describe-with-redis.js';
import { ManualClock } from '../support/manual-clock.js';
import { openClient } from '../support/redis-clients.js';
import { createdIn, okOf } from '../support/sessions.js';

/** Which of two services, each with its own clock. */
const by = fc.nat({ max: 1 });
/** The difference from the latest fencing token; undefined to send none. */
const fencingToken = fc.constantFrom(undefined, 0, 0, 0, -1, 1);
const ms = fc.constantFrom(1, 999, 1000, 1001, 5000);

const step = fc.oneof(
  fc.record({ does: fc.constant('lease' as const), by, holder: fc.constantFrom('a', 'b'), ms }),
  fc.record({
    does: fc.constant('renew' as const),
    by,
    fencingToken: fc.constantFrom(0, 0, -1, 1),
    ms,
  }),
  fc.record({ does: fc.constant('append' as const), by, fencingToken }),
  fc.record({
    does: fc.constant('release' as const),
    by,
    fencingToken: fc.constantFrom(0, 0, -1, 1),
  }),
  fc.record({
    does: fc.constantFrom('start' as const, 'pause' as const, 'resume' as const),
    by,
    fencingToken,
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('pass' as const),
      by,
      ms: fc.oneof(ms, fc.constant(-3000)),
    }),
  },
);
const last = fc.record({ does: fc.constant('terminate' as const), by, fencingToken });
const sequences = fc
  .tuple(
    fc.array(step, { minLength: 5, maxLength: 40 }),
    fc.array(fc.oneof(last, step), { maxLength: 5 }),
  )
  .map((parts) => parts.flat());

type Step = typeof sequences extends fc.Arbitrary<(infer S)[]> ? S : never;
type Call = Exclude<Step, { does: 'pass' }>;

const moves = {
  start: ['IDLE', 'ACTIVE'],
  pause: ['ACTIVE', 'PAUSED'],
  resume: ['PAUSED', 'ACTIVE'],
} as const;

/** A simple model of a leased session. Each call returns a text. */
class Model {
  status: SessionStatus = 'IDLE';
  holder = '';
  fencingToken = 0;
  until = 0;
  /** Fencing tokens by entry; 0 for an entry without one. */
  readonly entries: number[] = [];

  run(call: Call, given: number | undefined, now: number): string {
    const isOver = now >= this.until;
    const isForeign = given !== undefined && (isOver || given !== this.fencingToken);
    if (call.does === 'lease') {
      if (this.status === 'TERMINATED') return 'invalid_transition';
      if (!isOver && this.holder !== call.holder) return 'leased';
      Object.assign(this, {
        holder: call.holder,
        until: now + call.ms,
      });
      return `leased until ${this.until}`;
    }
    if (call.does === 'renew') {
      if (this.fencingToken === 0 || given !== this.fencingToken) return 'lease_lost';
      if (this.status === 'TERMINATED') return 'invalid_transition';
      if (isOver) return 'lease_lost';
      this.until = now + call.ms;
      return `renewed until ${this.until}`;
    }
    if (call.does === 'release') {
      if (this.fencingToken === 0 || given !== this.fencingToken) return 'lease_lost';
      if (this.status !== 'TERMINATED' && !isOver) this.until = 0;
      return 'released';
    }
    if (call.does === 'append') {
      if (this.status === 'IDLE' || this.status === 'TERMINATED') return 'invalid_transition';
      if (isForeign) return 'lease_lost';
      this.entries.push(given ?? 0);
      return 'appended';
    }
    if (isForeign) return 'lease_lost';
    const [from, to] =
      call.does === 'terminate' ? [this.status, 'TERMINATED' as const] : moves[call.does];
    if (this.status !== from) return 'invalid_transition';
    this.status = to;
    return to;
  }
}

const callOf = (
  sessions: SessionService,
  id: string,
  call: Call,
  given: number | undefined,
  model: Model,
) => {
  const options = given === undefined ? {} : { fencingToken: given };
  switch (call.does) {
    case 'lease':
      return sessions
        .lease(id, { holder: call.holder, seconds: call.ms / 1000 })
        .map(({ fencingToken: leased, until }) => {
          expect(leased).toBeGreaterThan(model.fencingToken);
          model.fencingToken = leased;
          return `leased until ${Date.parse(until)}`;
        });
    case 'renew':
      return sessions
        .renew(id, { fencingToken: given ?? 0, seconds: call.ms / 1000 })
        .map(({ until }) => `renewed until ${Date.parse(until)}`);
    case 'release':
      return sessions.release(id, { fencingToken: given ?? 0 }).map(() => 'released');
    case 'append':
      return sessions
        .append(id, [{ role: 'assistant', content: `${given ?? 0}` }], options)
        .map(() => 'appended');
    default:
      return sessions[call.does](id, options).map(({ status }) => String(status));
  }
};

const follow = async (stores: readonly SessionStore[], steps: readonly Step[]): Promise<void> => {
  const processes = stores.map((store) => {
    const clock = new ManualClock();
    return { clock, sessions: new SessionService({ store, clock }), seen: 0 };
  });
  const [first] = processes;
  if (first === undefined) throw new Error('there is no store');
  const id = await createdIn(first.sessions);
  first.seen = first.clock.now();
  const model = new Model();
  for (const each of steps) {
    const process = processes[each.by] ?? first;
    if (each.does === 'pass') {
      process.clock.pass(each.ms);
      continue;
    }
    // A service never uses an earlier time than one it has read.
    process.seen = Math.max(process.seen, process.clock.now());
    const delta = 'fencingToken' in each ? each.fencingToken : undefined;
    const given = delta === undefined ? undefined : Math.max(1, model.fencingToken + delta);
    const expected = model.run(each, given, process.seen);
    const actual = await callOf(process.sessions, id, each, given, model).match(
      String,
      ({ type }) => type,
    );
    expect({ step: each, actual }).toEqual({ step: each, actual: expected });
  }
  for (const process of processes) {
    process.seen = Math.max(process.seen, process.clock.now());
    const isLeased = process.seen < model.until && model.status !== 'TERMINATED';
    const { status, lease, history } = await okOf(process.sessions.get(id));
    expect([status, lease?.holder, lease?.fencingToken]).toEqual([
      model.status,
      ...(isLeased ? [model.holder, model.fencingToken] : [undefined, undefined]),
    ]);
    expect(history.map(({ content }) => Number(content))).toEqual(model.entries);
  }
  const fencingTokens = model.entries.filter((each) => each > 0);
  expect(fencingTokens).toEqual(fencingTokens.toSorted((a, b) => a - b));
};

const name =
  'leases, appends and commands of two services answer as the model, whatever their clocks do';

describe('random leases in memory', () => {
  test(name, async () => {
    await fc.assert(
      fc.asyncProperty(sequences, async (steps) => {
        const store = new MemorySessionStore();
        await follow([store, store], steps);
      }),
      { numRuns: moreIfLong(100, 2000) },
    );
  });
});

describeWithRedis('random leases on Redis', ({ port }) => {
  test(name, async () => {
    const client = openClient('ioredis 5', { port });
    const options = { client, prefix: `leases-${process.pid}` };
    await fc.assert(
      fc.asyncProperty(sequences, (steps) =>
        follow([new RedisSessionStore(options), new RedisSessionStore(options)], steps),
      ),
      { numRuns: moreIfLong(25, 300) },
    );
  });
});
