import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { RedisSessionStore } from '../../../adapters/redis/index.js';
import {
  type SessionChange,
  type SessionEvent,
  SessionService,
  type TenantChange,
} from '../../../src/index.js';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { PATIENT_MS } from '../../support/patience.js';
import { openClient } from '../../support/redis-clients.js';
import { startRedis } from '../../support/redis-server.js';
import { okOf, startedIn } from '../../support/sessions.js';
import { bundleWorker, type Worker } from '../../support/worker-pool.js';
import { cutConnections } from '../failover/cut-connections.js';
import { effort, record } from '../support/effort.js';
import { type Given, judge, judgeSession, type Verdict } from './ledger.js';

const PROMISE = 'watchers are given all entries or events of each session, in order';
const WRITERS = 3;
const TRIAL_MS = effort(2500, 60_000);
/** A trial takes longer on a machine that is too busy for them. */
const LEAST_EVENTS = TRIAL_MS / 20;

/** Longer than an event is held after a gap. */
const STAY_MS = 1500;

describeWithRedis('ten watches of the changes of three processes', () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await bundleWorker('shared-writer');
  });

  const open = async () => {
    const server = await startRedis();
    onTestFinished(() => server.stop());
    const prefix = 'watched';
    const storeOf = () =>
      new RedisSessionStore({
        client: openClient('ioredis 5', { port: server.port }),
        prefix,
        timeoutMs: 10_000,
        events: { length: 1_000_000 },
      });
    const control = storeOf();
    const sessions = new SessionService({ store: control });
    const ids: string[] = [];
    while (ids.length < 4) ids.push(await startedIn(sessions));
    const writers = new Set<ChildProcess>();
    let acknowledged = 0;
    let seed = 0;
    const write = (): void => {
      seed += 1;
      const args = [worker.file, String(server.port), prefix, String(seed), ids.join(',')];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
      writers.add(child);
      child.stdout.on('data', (text: Buffer) => {
        acknowledged += text.toString().split('\n').length - 1;
      });
    };
    const kill = async (child: ChildProcess): Promise<void> => {
      writers.delete(child);
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    };
    onTestFinished(async () => {
      await Promise.all([...writers].map(kill));
    });
    return {
      server,
      control,
      sessions,
      ids,
      writers,
      write,
      kill,
      storeOf,
      acknowledged: () => acknowledged,
    };
  };
  type World = Awaited<ReturnType<typeof open>>;

  /**
   * Watchers in another process than the writers, as far as the store knows; two of them leave and
   * come back.
   */
  const watch = ({ storeOf, ids }: World) => {
    const follow = <T extends SessionChange | TenantChange>(
      items: (from: string | undefined) => AsyncIterable<{ _unsafeUnwrap(): T }>,
      comesBack: boolean,
    ) => {
      const given: Given<T>[] = [];
      const done = (async () => {
        let from: string | undefined;
        const ended = new Set<string>();
        for (let isOver = false; !isOver; ) {
          const until = comesBack ? performance.now() + STAY_MS : Number.POSITIVE_INFINITY;
          let isLeaving = false;
          for await (const item of items(from)) {
            const value = item._unsafeUnwrap();
            given.push(value);
            from = value.cursor;
            if (value.type === 'session.terminated') ended.add(value.sessionId);
            isOver = ended.size === ids.length;
            const isEnd = 'session' in value && value.session.status === 'TERMINATED';
            isLeaving = performance.now() > until && value.type !== 'session.terminated' && !isEnd;
            if (isOver || isLeaving) break;
          }
          if (!isLeaving) return;
          given.push({ type: 'again' });
        }
      })();
      return { given, done };
    };
    let opened = 0;
    const onOpen = (): void => {
      opened += 1;
    };
    const [one, other] = [
      new SessionService({ store: storeOf() }),
      new SessionService({ store: storeOf() }),
    ];
    const watchOf = (sessions: SessionService, at: number, comesBack = false) => {
      const id = ids[at % ids.length] ?? '';
      const watching = follow(
        (from) => sessions.watch(id, from === undefined ? { onOpen } : { cursor: from }),
        comesBack,
      );
      return { ...watching, id };
    };
    const watchAllOf = (sessions: SessionService, comesBack = false) =>
      follow(
        (from) =>
          sessions.watchAll(
            from === undefined ? { onOpen, leases: true } : { cursor: from, leases: true },
          ),
        comesBack,
      );
    const ofSession = [
      ...[0, 1, 2, 3].map((at) => watchOf(one, at)),
      watchOf(other, 0),
      watchOf(other, 1, true),
    ];
    const ofAll = [watchAllOf(one), watchAllOf(one), watchAllOf(other), watchAllOf(other, true)];
    const watchers = [...ofSession, ...ofAll];
    const judged = async (
      told: ReadonlyMap<string, readonly SessionEvent[]>,
    ): Promise<readonly Verdict[]> => {
      await Promise.all(watchers.map(({ done }) => done));
      const verdicts = ofSession.map(async ({ given, id }) =>
        judgeSession(given, (await okOf(one.get(id))).history),
      );
      return [...(await Promise.all(verdicts)), ...ofAll.map(({ given }) => judge(given, told))];
    };
    return { judged, areOpen: () => opened === watchers.length };
  };

  /** What is written into the stream from now on, also what is trimmed later. */
  const recorder = async ({ control }: World) => {
    const told = new Map<string, SessionEvent[]>();
    const latest = await control.events?.latest(control.events.streamOf('default'));
    let position = latest?.unwrapOr('0') ?? '0';
    let events = 0;
    const look = async (): Promise<void> => {
      for (;;) {
        const page = await control.events?.read(control.events.streamOf('default'), position, 5000);
        if (page === undefined || page.isErr()) return;
        position = page.value.position;
        for (const event of page.value.events) {
          const known = told.get(event.sessionId) ?? [];
          known.push(event);
          told.set(event.sessionId, known);
          events += 1;
        }
        if (page.value.events.length < 5000) return;
      }
    };
    return { told, look, events: () => events };
  };

  const sum = (verdicts: readonly Verdict[], name: keyof Verdict): number =>
    verdicts.reduce((total, verdict) => total + verdict[name], 0);

  test.each([
    ['processes killed and connections cut', false],
    ['and the stream trimmed', true],
  ] as const)(
    'miss and reorder nothing: %s',
    async (faults, trims) => {
      const world = await open();
      const { server, control, sessions, ids, writers, write, kill } = world;
      const stream = control.events?.streamOf('default') ?? '';
      const admin = openClient('ioredis 5', { port: server.port });
      const { judged, areOpen } = watch(world);
      const { told, look, events } = await recorder(world);
      while (!areOpen()) await sleep(5);
      while (writers.size < WRITERS) write();
      const end = performance.now() + TRIAL_MS;
      let [kills, cuts] = [0, 0];
      for (let turn = 1; performance.now() < end || events() < LEAST_EVENTS; turn += 1) {
        await sleep(100);
        await look();
        const [oldest] = writers;
        if (turn % 15 === 0 && oldest !== undefined) {
          await kill(oldest);
          write();
          kills += 1;
        }
        if (turn % 11 === 0) {
          await cutConnections(server);
          cuts += 1;
        }
        if (trims && turn % 13 === 0) await admin.call('XTRIM', stream, 'MAXLEN', '20');
      }
      await Promise.all([...writers].map(kill));
      for (const id of ids) await okOf(sessions.terminate(id));
      await look();
      const verdicts = await judged(told);
      const of = (name: string): string => `${name}, ${faults}`;
      record({ promise: PROMISE, figure: of('kills of writers'), value: kills });
      record({ promise: PROMISE, figure: of('times that all connections were cut'), value: cuts });
      record({ promise: PROMISE, figure: of('changes acknowledged'), value: world.acknowledged() });
      record({ promise: PROMISE, figure: of('events in the stream'), value: events() });
      record({
        promise: PROMISE,
        figure: of('items given to ten watchers'),
        value: sum(verdicts, 'seen'),
      });
      record({ promise: PROMISE, figure: of('gaps told'), value: sum(verdicts, 'gapsTold') });
      record({
        promise: PROMISE,
        figure: of('given twice without coming back'),
        value: sum(verdicts, 'doubled'),
        bar: '0',
      });
      record({
        promise: PROMISE,
        figure: of('missing and not told'),
        value: sum(verdicts, 'missing'),
        bar: '0',
      });
      record({
        promise: PROMISE,
        figure: of('out of order'),
        value: sum(verdicts, 'outOfOrder'),
        bar: '0',
      });
      const faultsOf = verdicts.map(
        ({ missing, outOfOrder, doubled }) => `${missing} ${outOfOrder} ${doubled}`,
      );
      expect(faultsOf.join(', '), 'missing, out of order and doubled, for each watcher').toBe(
        verdicts.map(() => '0 0 0').join(', '),
      );
    },
    TRIAL_MS + PATIENT_MS,
  );
});
