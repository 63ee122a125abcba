import { Agent } from '@openai/agents';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { EngineSession } from '../../../adapters/openai-agents/index.js';
import { SessionService, type Worker } from '../../../src/index.js';
import { isFields } from '../../../src/session/fields.js';
import { documentOf } from '../../readme/documents.js';
import { SampleFolder } from '../../readme/run-sample.js';
import { blocksIn } from '../../readme/samples.js';
import { ada } from '../../support/sessions.js';
import { answered, modelOf } from './scripted-model.js';

interface Exported {
  readonly workerFor: (sessions: SessionService, agent: Agent) => Worker;
  readonly ask: (
    sessions: SessionService,
    chat: string,
    id: string,
    content: string,
  ) => Promise<unknown>;
}

const isExported = (module: unknown): module is Exported =>
  isFields(module) &&
  typeof module['workerFor'] === 'function' &&
  typeof module['ask'] === 'function';

const folder = new SampleFolder();
afterAll(() => folder.remove());

test('the documented OpenAI Agents worker answers messages in flight once each, however often they are sent, also after a crash', async () => {
  const [sample] = blocksIn(documentOf('docs/agents.md'), 'ts').filter(({ code }) =>
    code.includes('workerFor'),
  );
  const module = sample && (await folder.run(sample));
  if (!isExported(module)) throw new Error('docs/agents.md has no workerFor');
  const sessions = new SessionService({ store: new MemorySessionStore({ events: true }) });
  const { id } = await sessions.orThrow.create({ ...ada, start: true });
  let calls = 0;
  const model = modelOf(() => {
    calls += 1;
    return answered('It is 42.');
  });
  const askBoth = () =>
    Promise.all([
      module.ask(sessions, id, 'm-1', 'What is 6 times 7?'),
      module.ask(sessions, id, 'm-2', 'And 7 times 6?'),
    ]);
  await askBoth();
  await sessions.orThrow.claim({ holder: 'killed', seconds: 0.05 });
  const worker = module.workerFor(sessions, new Agent({ name: 'Tutor', model }));
  onTestFinished(() => worker.stop());
  worker.start();
  const session = new EngineSession(sessions, id);
  const done = async () => [
    (await session.getItems()).length,
    (await sessions.orThrow.get(id)).work,
  ];
  await expect.poll(done).toEqual([3, undefined]);
  await askBoth();
  await expect.poll(done).toEqual([3, undefined]);
  expect(calls).toBe(1);
  const { history } = await sessions.orThrow.get(id);
  const asked = history.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  expect(asked.toSorted()).toEqual(['And 7 times 6?', 'What is 6 times 7?']);
});
