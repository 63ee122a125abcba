import type { UIMessage } from 'ai';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { loadMessages } from '../../../adapters/ai-sdk/index.js';
import { unwrap } from '../../../src/index.js';
import { documentOf } from '../../readme/documents.js';
import { SampleFolder } from '../../readme/run-sample.js';
import { blocksIn } from '../../readme/samples.js';
import { ada } from '../../support/sessions.js';
import { textOf, user } from './opened-chat.js';
import { spokenModel } from './spoken-model.js';

const folder = new SampleFolder();
afterAll(() => folder.remove());

test('the documented AI SDK worker answers what its route stores, and keeps the streamed part of a stopped answer', async () => {
  const [sample] = blocksIn(documentOf('docs/ai-sdk.md'), 'ts').filter(({ code }) =>
    code.includes('createWorker'),
  );
  if (sample === undefined) throw new Error('docs/ai-sdk.md has no worker');
  const code = `${sample.code}\nexport { sessions };`;
  const { sessions, POST, worker } = Object(await folder.run({ ...sample, code }));
  const { model, answer } = spokenModel();
  vi.stubGlobal('AI_SDK_DEFAULT_PROVIDER', {
    specificationVersion: 'v3',
    languageModel: () => model,
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  onTestFinished(() => worker.stop());
  worker.start();
  const { id } = await sessions.orThrow.create({ ...ada, start: true });
  const send = async (message: UIMessage): Promise<number> => {
    const body = JSON.stringify({ id, message, trigger: 'submit-message' });
    return (await POST(new Request('http://localhost', { method: 'POST', body }))).status;
  };
  const stored = async () =>
    (await unwrap(loadMessages<UIMessage>(sessions, id))).messages.map(textOf);
  const storing = () => expect.poll(stored);
  expect(await send(user('u-1', 'Why?'))).toBe(202);
  (await answer(0)).say('Half an ');
  await new Promise(setImmediate);
  await sessions.orThrow.cancel(id);
  await storing().toEqual(['Why?', 'Half an ']);
  expect(await send(user('u-2', 'Go on.'))).toBe(202);
  const rest = await answer(1);
  rest.say('answer.');
  rest.end();
  await storing().toEqual(['Why?', 'Half an ', 'Go on.', 'answer.']);
});
