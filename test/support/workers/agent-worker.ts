import { appendFileSync } from 'node:fs';
import type { Agent } from '@openai/agents';
import { SessionService, type Worker } from '../../../src/index.js';
import { clerk } from '../../adapters/openai-agents/approval-world.js';
import { openStoreAt } from '../store-address.js';

/**
 * `agent-worker.ts JOB`: the worker of a documentation page, whose sample is the file `sample`. Its
 * tool records each call in the file `paid`. Then the process kills itself, or continues if
 * `isLast` is set. `ahead` shifts its clock, in milliseconds.
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
