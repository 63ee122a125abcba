import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { type GroupResult, type Turn, takeTurns } from '../harness/measure.js';
import { quantileOf } from '../harness/statistics.js';
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
  readonly paths?: ((connection: number) => readonly string[]) | undefined;
  readonly key?: string | undefined;
  readonly status: number;
}

interface Load {
  readonly seconds: number;
  readonly connections: number;
}

const shoot = async (
  { target, path, paths, key, status }: HttpSubject,
  { seconds, connections }: Load,
): Promise<Turn> => {
  let connection = 0;
  const setupClient = (client: autocannon.Client): void => {
    if (paths !== undefined) client.setRequests(paths(connection).map((one) => ({ path: one })));
    connection += 1;
  };
  const before = await target.cpuUs();
  const began = performance.now();
  const headers = key === undefined ? {} : { 'x-api-key': key };
  const url = target.url + path;
  const callsUs: number[] = [];
  // Its end is only looked for when a sample ends.
  const sampleInt = Math.min(1000, seconds * 1000);
  const options = { url, connections, duration: seconds, headers, setupClient, sampleInt };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const load = autocannon(options, (error: Error | null, all) =>
      error === null ? resolve(all) : reject(error),
    );
    load.on('response', (_client, _status, _bytes, ms) => callsUs.push(ms * 1000));
  });
  const tookMs = performance.now() - began;
  const cpuUs = (await target.cpuUs()) - before;
  const answered = result.requests.total;
  const good = result.statusCodeStats?.[`${status}`]?.count ?? 0;
  expect(
    result.errors === 0 && good > 0 && good === answered,
    `every answer to ${path} is ${status}`,
  );
  return {
    wallUs: (tookMs * 1000) / answered,
    cpuUs: cpuUs / answered,
    p50Us: quantileOf(callsUs, 0.5),
    p99Us: quantileOf(callsUs, 0.99),
  };
};

/** Loads the subjects in turns; times are per request, CPU time is the server's. */
export const measureHttp = (
  name: string,
  limits: readonly string[],
  subjects: readonly HttpSubject[],
  {
    rounds,
    seconds,
    connections = 32,
  }: Partial<Load> & { readonly rounds: number; readonly seconds: number },
): Promise<GroupResult> =>
  takeTurns({ name, callers: connections, limits, subjects }, rounds, (subject) =>
    shoot(subject, { seconds, connections }),
  );
