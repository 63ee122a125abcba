import { appendFileSync } from 'node:fs';
import type { Agent } from '@openai/agents';
import { SessionService, type Worker } from '../../../src/index.js';
import { clerk } from '../../adapters/openai-agents/approval-world.js';
import { openStoreAt } from '../store-address.js';

/**
 * `agent-worker.ts JOB`: the worker of a page, whose `sample` is a file. Its tool marks each call
 * in the file `paid`, and then the process kills itself, or with `isLast` goes on. `ahead` is how
 * much later it is for this process, in milliseconds.
 */
const { address, sample, paid, needsApproval, isLast, ahead } = JSON.parse(process.argv[2] ?? '{}');

const { store } = openStoreAt(address);
const sessions = new SessionService({ store, clock: { now: () => Date.now() + ahead } });
const pay = (callId = ''): void => {
  appendFileSync(paid, `${callId}\n`);
  if (!isLast) process.kill(process.pid, 'SIGKILL');
};
const page: { workerFor(sessions: SessionService, agent: Agent): Worker } = await import(sample);
page.workerFor(sessions, clerk(pay, needsApproval)).start();
