import { type ChildProcess, spawn } from 'node:child_process';

export type Running = ChildProcess & { readonly pid: number };

export const runningOf = (child: ChildProcess, name: string): Running => {
  const { pid } = child;
  if (pid === undefined) throw new Error(`cannot run ${name}`);
  return Object.assign(child, { pid });
};

/**
 * A killed test run executes no teardown. The shell then reads the end of its input, and kills the
 * server.
 */
export function endWithThisProcess(server: Running, signal: 'KILL' | 'QUIT'): void {
  const script = `read -r _; kill -${signal} "$0" 2>/dev/null`;
  const guard = spawn('sh', ['-c', script, String(server.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  server.once('exit', () => guard.kill('SIGKILL'));
}

/**
 * Waits until the server's output says that it is ready. Uses the server's own output, because
 * another server may answer on the port.
 */
export function isReady(
  server: Running,
  name: string,
  sign: RegExp,
  withinMs: number,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let log = '';
    const fail = (what: string) => reject(new Error(`${name} ${what}:\n${log}`));
    const patience = setTimeout(fail, withinMs, 'was not ready in time');
    const read = (chunk: Buffer) => {
      log = (log + chunk.toString()).slice(-4000);
      if (!sign.test(log)) return;
      clearTimeout(patience);
      resolve();
    };
    server.stdout?.on('data', read);
    server.stderr?.on('data', read);
    server.once('close', () => {
      clearTimeout(patience);
      fail('did not start');
    });
  });
}
