import { afterAll, expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { SessionService, type SessionServiceOptions } from '../../../src/index.js';
import { documentOf } from '../../readme/documents.js';
import { SampleFolder } from '../../readme/run-sample.js';
import { blocksIn } from '../../readme/samples.js';
import { ManualClock, pass } from '../../support/manual-clock.js';
import { ada } from '../../support/sessions.js';
import { clerk, isApprovals } from './approval-world.js';

const DAYS = 24 * 60 * 60 * 1000;

const folder = new SampleFolder();
afterAll(() => folder.remove());

/** The functions of the page over one store, and processes that share it. */
const open = async (options: Partial<SessionServiceOptions> = {}) => {
  const [sample] = blocksIn(documentOf('docs/human-approval.md'), 'ts');
  const module = sample && (await folder.run(sample));
  if (!isApprovals(module)) throw new Error('docs/human-approval.md has no worker');
  const { workerFor, ask, decide } = module;
  const clock = new ManualClock();
  const store = new MemorySessionStore({ events: true });
  const sessions = new SessionService({ store, clock, ...options });
  const { id } = await sessions.orThrow.create({ ...ada, start: true });
  const paid: (string | undefined)[] = [];
  /** A process that works until nothing waits. */
  const work = async (pay = (callId?: string): unknown => paid.push(callId)): Promise<void> => {
    await using worker = workerFor(new SessionService({ store, clock, ...options }), clerk(pay));
    worker.start();
    for (let round = 0; round < 20; round += 1) await pass(clock, 100);
  };
  const entries = async () => (await sessions.orThrow.history(id)).entries;
  const roles = async () => (await entries()).map(({ role }) => role);
  const last = async () => (await entries()).at(-1);
  const waits = async () => (await sessions.orThrow.get(id)).work;
  return { ask, decide, clock, sessions, id, paid, work, entries, roles, last, waits };
};

const interrupted = ['user', 'function_call', 'run_state'];
const answered = [...interrupted, 'decision', 'function_call_result', 'assistant'];

test.each([
  ['approve', 'Result: paid', ['call-1']],
  ['reject', 'Result: Tool execution was not approved.', []],
] as const)(
  'another process continues once after somebody decides to %s days later, however often the decision is sent',
  async (decision, answer, paid) => {
    const world = await open();
    const { ask, decide, clock, sessions, id, work } = world;
    await ask(sessions, id, 'q-1', 'Pay the bill.');
    await work();
    expect([await world.roles(), world.paid]).toEqual([interrupted, []]);
    expect(await world.waits()).toBeUndefined();
    await expect(ask(sessions, id, 'q-2', 'And?')).rejects.toThrow('not answered yet');
    clock.pass(3 * DAYS);
    await work();
    const { position = 0 } = (await world.last()) ?? {};
    await decide(sessions, id, position, decision);
    await decide(sessions, id, position, decision);
    await work();
    await decide(sessions, id, position, decision);
    await work();
    expect([await world.roles(), world.paid]).toEqual([answered, paid]);
    expect((await world.last())?.content).toBe(answer);
    const other = decision === 'approve' ? 'reject' : 'approve';
    await expect(decide(sessions, id, position, other)).rejects.toMatchObject({
      type: 'operation_mismatch',
    });
    await ask(sessions, id, 'q-3', 'Once more.');
    await work();
    expect(await world.roles()).toEqual([...answered, ...interrupted]);
  },
);

test('the worker that follows a crash after the decision resumes with the same tool call', async () => {
  const world = await open();
  await world.ask(world.sessions, world.id, 'q-1', 'Pay the bill.');
  await world.work();
  const { position = 0 } = (await world.last()) ?? {};
  await world.decide(world.sessions, world.id, position, 'approve');
  const { claimed } = await world.sessions.orThrow.claim({ holder: 'dead', seconds: 30 });
  expect(claimed).toHaveLength(1);
  await world.work();
  expect([await world.roles(), world.paid]).toEqual([[...interrupted, 'decision'], []]);
  world.clock.pass(30_000);
  await world.work();
  expect([await world.roles(), world.paid]).toEqual([answered, ['call-1']]);
});

test('a run state that is too large fails the work, and stores and asks nothing', async () => {
  const world = await open({ limits: { contentBytes: 1000 } });
  await world.ask(world.sessions, world.id, 'q-1', 'Pay the bill.');
  for (let attempt = 0; attempt < 20; attempt += 1) {
    await world.work();
    world.clock.pass(600_000);
  }
  expect(await world.waits()).toMatchObject({ state: 'exhausted' });
  expect(await world.roles()).toEqual(['user']);
});
