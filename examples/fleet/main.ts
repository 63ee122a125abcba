// Starts one process that serves HTTP and one that answers. Creates a session, as your application
// would, and talks with a URL and an API key, as a program on another machine would. In production,
// start http.ts and worker.ts separately, as many of each as you need.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { SessionClient } from 'colloquy/client';
import { openSessions } from './sessions.js';

const started: { readonly child: ChildProcess; readonly gone: Promise<unknown> }[] = [];

/**
 * Runs a file with the options of this process, passes on its output, and returns its first line.
 */
const begin = async (name: 'http' | 'worker'): Promise<string> => {
  const child = fork(new URL(`./${name}.ts`, import.meta.url), {
    env: { ...process.env, PORT: process.env['PORT'] ?? '0' },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    detached: true, // a Ctrl-C is for this process, which then stops the others
  });
  const gone = once(child, 'close');
  started.push({ child, gone });
  if (child.stdout === null) throw new Error(`${name} cannot be listened to`);
  const lines = createInterface({ input: child.stdout });
  lines.on('line', (line) => console.log(`[${name}] ${line}`));
  const first = await Promise.race([once(lines, 'line'), gone.then(() => [])]);
  if (typeof first[0] !== 'string') throw new Error(`${name} has not started`);
  return first[0];
};

/** Sends one message after another, each after the answer to the last, and ends the session. */
const talk = async (
  { orThrow: client }: SessionClient,
  id: string,
  said: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  for (const content of said) {
    console.log(`[caller] user: ${content}`);
    const message = await client.send(id, { content }, { signal });
    const answer = await client.answer(id, message.id, { signal });
    console.log(`[caller] assistant: ${answer.content}`);
  }
  await client.terminate(id, { signal });
};

const { sessions, close } = openSessions();
const stopping = new AbortController();
const stop = () => stopping.abort();
process.once('SIGINT', stop).once('SIGTERM', stop);

try {
  const [baseUrl] = await Promise.all([begin('http'), begin('worker')]);
  const client = new SessionClient({ baseUrl, apiKey: process.env['API_KEY'] ?? '' });
  const { id } = await sessions.orThrow.create({ timeLimit: 60, start: true });
  await talk(client, id, ['Good morning.', 'What is 6 times 7?'], stopping.signal);
} catch (error) {
  if (!stopping.signal.aborted) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
} finally {
  for (const { child } of started) child.kill('SIGTERM');
  await Promise.all([...started.map(({ gone }) => gone), close()]);
}
