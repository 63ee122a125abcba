import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import type { GroupResult, Measurement } from '../harness/measure.js';
import { spreadOf } from '../harness/statistics.js';
import { expect } from './suite.js';

/** A server that runs beside this process, which loads it. */
export interface Target {
  readonly url: string;
  cpuUs(): Promise<number>;
  stop(): Promise<void>;
}

const tell = async (child: ChildProcess): Promise<Readonly<Record<string, number>>> => {
  const [message] = await once(child, 'message');
  return message;
};

export const startTarget = async (...args: readonly string[]): Promise<Target> => {
  const child = fork(fileURLToPath(new URL('http-server.js', import.meta.url)), args);
  const { port } = await tell(child);
  return {
    url: `http://127.0.0.1:${port}`,
    cpuUs: async () => {
      const answer = tell(child);
      child.send('cpu');
      return (await answer)['cpuUs'] ?? Number.NaN;
    },
    stop: async () => {
      const gone = once(child, 'exit');
      child.disconnect();
      await gone;
    },
  };
};

/** One way of asking, and the status that every answer must have. */
export interface HttpSubject {
  readonly name: string;
  readonly target: Target;
  readonly path: string;
  /** What a connection asks for in turns, in place of `path`. */
  readonly paths?: (connection: number) => readonly string[];
  readonly key?: string;
  readonly status: number;
}

const CONNECTIONS = 32;

interface Shot {
  readonly wallUs: number;
  readonly cpuUs: number;
}

const shoot = async ({ target, path, paths, key, status }: HttpSubject, seconds: number): Promise<Shot> => {
  let connection = 0;
  const setupClient = (client: autocannon.Client): void => {
    if (paths !== undefined) client.setRequests(paths(connection).map((one) => ({ path: one })));
    connection += 1;
  };
  const before = await target.cpuUs();
  const began = performance.now();
  const headers = key === undefined ? {} : { 'x-api-key': key };
  const url = target.url + path;
  const result = await autocannon({ url, connections: CONNECTIONS, duration: seconds, headers, setupClient });
  const tookMs = performance.now() - began;
  const cpuUs = (await target.cpuUs()) - before;
  const answered = result.requests.total;
  const good = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  expect(result.errors === 0 && good > 0 && good === answered, `every answer to ${path} is ${status}`);
  return { wallUs: (tookMs * 1000) / answered, cpuUs: cpuUs / answered };
};

/** Loads the subjects in turns; times are per request, CPU time is the server's. */
export const measureHttp = async (
  group: string,
  limit: string,
  subjects: readonly HttpSubject[],
  { rounds, seconds }: { readonly rounds: number; readonly seconds: number },
): Promise<GroupResult> => {
  const shots = new Map<string, Shot[]>(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let at = 0; at < subjects.length; at += 1) {
      const subject = subjects[(at + round) % subjects.length];
      if (subject === undefined) continue;
      const shot = await shoot(subject, seconds);
      if (round > 0) shots.get(subject.name)?.push(shot);
    }
  }
  const limits = shots.get(limit) ?? [];
  const measurements = subjects.map(({ name }): Measurement => {
    const times = shots.get(name) ?? [];
    const cpuRatio = spreadOf(times.map(({ cpuUs }, round) => (limits[round]?.cpuUs ?? Number.NaN) / cpuUs)).median;
    return {
      subject: name,
      wallUs: spreadOf(times.map(({ wallUs }) => wallUs)),
      cpuUs: spreadOf(times.map(({ cpuUs }) => cpuUs)).median,
      ratio: spreadOf(times.map(({ wallUs }, round) => (limits[round]?.wallUs ?? Number.NaN) / wallUs)),
      note: `${cpuRatio.toFixed(2)} by the server's CPU time`,
    };
  });
  return { group, callers: CONNECTIONS, limit, measurements };
};
