import type { ResultAsync } from 'neverthrow';
import { Bench } from 'tinybench';
import { serverCpu, usBetween } from './server-cpu.js';
import { quantileOf, type Spread, spreadOf } from './statistics.js';

/** The result of a subject: something to await. */
export type Call = PromiseLike<unknown> | ResultAsync<unknown, unknown>;

/** One way of doing what a group compares. */
export interface Subject {
  readonly name: string;
  call(): Call;
  /** Renews what calls wear out, before each turn. Its time does not count. */
  readonly renew?: () => Promise<void>;
  /**
   * Checks one answer, and what the call has left behind, before the measurement. Throws if they
   * are wrong.
   */
  readonly check?: (answer: unknown) => unknown;
  /** The limits of the group that it is compared with. Default: all. */
  readonly beside?: readonly string[];
  /** What it does not do, if that makes it faster or slower than its figure suggests. */
  readonly note?: string;
}

/**
 * Subjects that are measured together: they take turns in each round, so that all run on the same
 * machine state.
 */
export interface Group {
  readonly name: string;
  /** Number of concurrent callers, each waiting for its answer before the next call. */
  readonly callers: number;
  /**
   * The subjects that the others are compared with: the least that it could take, or the same at
   * another size.
   */
  readonly limits: readonly string[];
  readonly subjects: readonly Subject[];
  /** Also times every single call, for operations that are slow compared to reading a clock. */
  readonly isTimedSingly?: boolean;
  /** Instead of the usual effort. */
  readonly effort?: Effort;
  /** Calls of each caller in a batch. Default: as many as take 5 ms, which depends on others. */
  readonly batch?: number;
  /** The process of the database: then its CPU time is measured too. */
  readonly serverPid?: number | undefined;
}

/** How long to look. */
export interface Effort {
  readonly rounds: number;
  /** Milliseconds a subject and round. */
  readonly roundMs: number;
}

/**
 * A limit's time divided by a subject's in the same round: 0.5 takes twice as long, 2 half as long.
 */
export interface Ratio {
  /** By the clock. */
  readonly wall: Spread;
  /** By CPU time: of this process, or of the HTTP server that is measured. */
  readonly cpu: Spread;
  /**
   * By CPU time of this process and of the database, if that was measured: of the lower quartiles,
   * since others on the machine make a call dearer and never cheaper. Absent in older results.
   */
  readonly least?: number;
}

export interface Measurement {
  readonly subject: string;
  /** Microseconds a call, by the clock. */
  readonly wallUs: Spread;
  /** Microseconds of CPU time a call. */
  readonly cpuUs: Spread;
  /** Microseconds of CPU time a call that the database takes, where that was measured. */
  readonly serverUs?: Spread;
  /**
   * Microseconds that callers waited for single calls: the median, and what one of a hundred
   * exceeds.
   */
  readonly latencyUs?: { readonly p50: Spread; readonly p99: Spread };
  /** One for each limit that it is compared with. */
  readonly ratios: Readonly<Record<string, Ratio>>;
  readonly note?: string;
}

export interface GroupResult {
  readonly group: string;
  readonly callers: number;
  readonly limits: readonly string[];
  readonly measurements: readonly Measurement[];
}

/** The result of one turn. */
export interface Turn {
  readonly wallUs: number;
  readonly cpuUs: number;
  readonly serverUs?: number;
  /** Of single calls, if they were timed. */
  readonly p50Us?: number;
  readonly p99Us?: number;
}

/**
 * So long a batch of calls should take: long enough for the clock, short enough for many in a
 * round.
 */
const BATCH_MS = 5;

const runBatch = async (call: () => Call, callers: number, each: number): Promise<void> => {
  const caller = async () => {
    for (let left = each; left > 0; left -= 1) await call();
  };
  if (callers === 1) await caller();
  else await Promise.all(Array.from({ length: callers }, caller));
};

/** How many calls a caller makes in a batch. */
const batchSize = async (call: () => Call, callers: number): Promise<number> => {
  for (let each = 1; ; each *= 4) {
    const began = performance.now();
    await runBatch(call, callers, each);
    const took = performance.now() - began;
    if (took * 4 > BATCH_MS) return Math.max(1, Math.round((each * BATCH_MS) / took));
  }
};

/**
 * The time of one turn. Tinybench takes the samples and makes the statistics; a sample is a batch.
 */
const turn = async (
  subject: Subject,
  group: Pick<Group, 'callers' | 'isTimedSingly' | 'serverPid'>,
  each: number,
  roundMs: number,
): Promise<Turn> => {
  const { callers, isTimedSingly = false, serverPid } = group;
  await subject.renew?.();
  const callsUs: number[] = [];
  const timed = async () => {
    const began = performance.now();
    await subject.call();
    callsUs.push((performance.now() - began) * 1000);
  };
  const call = isTimedSingly ? timed : () => subject.call();
  const bench = new Bench({ time: roundMs, iterations: 1, warmup: false, throws: true });
  bench.add(subject.name, () => runBatch(call, callers, each), { async: true });
  const serverBefore = serverPid === undefined ? undefined : serverCpu(serverPid);
  const before = process.cpuUsage();
  const [task] = await bench.run();
  const { user, system } = process.cpuUsage(before);
  const server = serverPid && serverBefore && usBetween(serverBefore, serverCpu(serverPid));
  if (task?.result.state !== 'completed') throw new Error(`${subject.name} was not measured`);
  const calls = callers * each;
  return {
    wallUs: (task.result.latency.p50 * 1000) / calls,
    cpuUs: (user + system) / (calls * task.runs),
    ...(server !== undefined && { serverUs: server / (calls * task.runs) }),
    ...(isTimedSingly && { p50Us: quantileOf(callsUs, 0.5), p99Us: quantileOf(callsUs, 0.99) }),
  };
};

/**
 * Runs the subjects in turns: a warm-up round, then the measured rounds, each starting with another
 * subject.
 */
export const takeTurns = async <S extends Pick<Subject, 'name' | 'note' | 'beside'>>(
  {
    name,
    callers,
    limits,
    subjects,
  }: Omit<Group, 'subjects'> & { readonly subjects: readonly S[] },
  rounds: number,
  take: (subject: S) => Promise<Turn>,
): Promise<GroupResult> => {
  const turns = new Map<string, Turn[]>(subjects.map((subject) => [subject.name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let at = 0; at < subjects.length; at += 1) {
      const subject = subjects[(at + round) % subjects.length];
      if (subject === undefined) continue;
      const taken = await take(subject);
      if (round > 0) turns.get(subject.name)?.push(taken);
    }
  }
  const ratioOf = (subject: string, limit: string): Ratio => {
    const own = turns.get(subject) ?? [];
    const other = turns.get(limit) ?? [];
    const compare = (take: (turn: Turn) => number) =>
      spreadOf(
        own.map((taken, round) => {
          const limiting = other[round];
          return limiting === undefined ? Number.NaN : take(limiting) / take(taken);
        }),
      );
    const leastOf = (all: readonly Turn[]): number =>
      spreadOf(all.map(({ cpuUs, serverUs = 0 }) => cpuUs + serverUs)).lower;
    return {
      wall: compare(({ wallUs }) => wallUs),
      cpu: compare(({ cpuUs }) => cpuUs),
      least: leastOf(other) / leastOf(own),
    };
  };
  const measurements = subjects.map((subject): Measurement => {
    const own = turns.get(subject.name) ?? [];
    const latency = (what: 'p50Us' | 'p99Us') =>
      spreadOf(own.map((taken) => taken[what] ?? Number.NaN));
    return {
      subject: subject.name,
      wallUs: spreadOf(own.map(({ wallUs }) => wallUs)),
      cpuUs: spreadOf(own.map(({ cpuUs }) => cpuUs)),
      ...(own[0]?.serverUs !== undefined && {
        serverUs: spreadOf(own.map(({ serverUs = Number.NaN }) => serverUs)),
      }),
      ...(own[0]?.p50Us !== undefined && {
        latencyUs: { p50: latency('p50Us'), p99: latency('p99Us') },
      }),
      ratios: Object.fromEntries(
        (subject.beside ?? limits).map((limit) => [limit, ratioOf(subject.name, limit)]),
      ),
      ...(subject.note === undefined ? {} : { note: subject.note }),
    };
  });
  return { group: name, callers, limits, measurements };
};

/** Measures a group of calls in this process. Checks each subject first. */
export const measure = async (group: Group, usual: Effort): Promise<GroupResult> => {
  const { rounds, roundMs } = group.effort ?? usual;
  const sizes = new Map<string, number>();
  for (const subject of group.subjects) {
    await subject.renew?.();
    await subject.check?.(await subject.call());
    const size = group.batch ?? (await batchSize(() => subject.call(), group.callers));
    sizes.set(subject.name, size);
  }
  return takeTurns(group, rounds, (subject) =>
    turn(subject, group, sizes.get(subject.name) ?? 1, roundMs),
  );
};
