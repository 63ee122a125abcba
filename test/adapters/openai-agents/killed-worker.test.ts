import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, expect, onTestFinished, test } from 'vitest';
import { SessionService } from '../../../src/index.js';
import { documentOf } from '../../readme/documents.js';
import { SampleFolder } from '../../readme/run-sample.js';
import { blocksIn } from '../../readme/samples.js';
import { moreIfLong } from '../../support/continuous-integration.js';
import { ada } from '../../support/sessions.js';
import { sqliteFile } from '../../support/sqlite-file.js';
import { openStoreAt } from '../../support/store-address.js';
import { clerk, isApprovals } from './approval-world.js';

const script = fileURLToPath(new URL('../../support/workers/agent-worker.ts', import.meta.url));
const folder = new SampleFolder();
afterAll(() => folder.remove());

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

/** Processes that run the worker of a page, over one database in a file. */
const open = async (page: string, needsApproval: boolean) => {
  const { file, remove } = sqliteFile();
  const address = { type: 'sqlite', file } as const;
  const opened = openStoreAt(address);
  await opened.ready;
  onTestFinished(async () => {
    await opened.close();
    remove();
  });
  const sessions = new SessionService({ store: opened.store }).orThrow;
  const { id } = await sessions.create({ ...ada, start: true });
  const [code] = blocksIn(documentOf(page), 'ts').filter((block) =>
    block.code.includes('workerFor'),
  );
  if (code === undefined) throw new Error(`${page} has no worker`);
  const paid = join(dirname(file), 'paid');
  const job = { address, sample: folder.write(code), paid, needsApproval };
  const start = (more: { readonly isLast: boolean; readonly ahead: number }): ChildProcess => {
    const args = ['--import', './.ci/sources.mjs', script, JSON.stringify({ ...job, ...more })];
    const child = spawn(process.execPath, args, { stdio: 'inherit' });
    children.push(child);
    return child;
  };
  const seen = async () => {
    const { history, work } = await sessions.get(id);
    return [history.map(({ role }) => role), work];
  };
  const calls = () => readFileSync(paid, 'utf8').trim().split('\n');
  const workHere = async (until: () => Promise<void>) => {
    const module = await folder.run(code);
    if (!isApprovals(module)) throw new Error(`${page} has no worker`);
    const service = new SessionService({ store: opened.store });
    await using worker = module.workerFor(service, clerk(Boolean));
    worker.start();
    await until();
  };
  return { sessions, id, start, seen, calls, workHere };
};

/**
 * The first process is killed when its tool has had its effect; a minute later, there is another.
 */
const killInTheTurn = async ({ start }: Awaited<ReturnType<typeof open>>): Promise<void> => {
  const [, signal] = await once(start({ isLast: false, ahead: 0 }), 'exit');
  expect(signal).toBe('SIGKILL');
  start({ isLast: true, ahead: 60_000 });
};

// Each process compiles what it runs, for seconds: the next test is this one after a decision.
const ifLong = moreIfLong(test.skip, test);
ifLong(
  'another worker finishes the turn of a documented worker that was killed in the middle, once',
  async () => {
    const world = await open('docs/agents.md', false);
    const { sessions, id, seen, calls } = world;
    await sessions.send(id, 'Pay the bill.');
    await killInTheTurn(world);
    const turn = ['user', 'function_call', 'function_call_result', 'assistant'];
    await expect.poll(seen).toEqual([turn, undefined]);
    expect(calls()).toEqual(['call-1', 'call-1']);
  },
);

test('another worker reuses the tool call id after a worker was killed between a decision and the answer', async () => {
  const world = await open('docs/human-approval.md', true);
  const { sessions, id, seen, calls } = world;
  await sessions.send(id, 'Pay the bill.');
  const waiting = ['user', 'function_call', 'run_state'];
  await world.workHere(async () => {
    await expect.poll(seen).toEqual([waiting, undefined]);
  });
  await sessions.send(id, { role: 'decision', content: 'approve' });
  await killInTheTurn(world);
  const turn = [...waiting, 'decision', 'function_call_result', 'assistant'];
  await expect.poll(seen).toEqual([turn, undefined]);
  expect(calls()).toEqual(['call-1', 'call-1']);
});
