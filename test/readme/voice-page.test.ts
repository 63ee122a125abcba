import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import type { Reply, SessionService } from '../../src/index.js';
import { isFields } from '../../src/session/fields.js';
import { writeFilesOf } from './page-files.js';
import { listenToConsole } from './run-sample.js';

interface Call {
  readonly sessions: SessionService;
}

interface BargeIn {
  keepHeard(id: string, prompt: string, answer: Reply, heard: string): Promise<unknown>;
}

const isCall = (module: unknown): module is Call => isFields(module) && 'sessions' in module;

const isBargeIn = (module: unknown): module is BargeIn => isFields(module) && 'keepHeard' in module;

test('the files of the voice page replace an answer by what the caller heard, once', async () => {
  const folder = writeFilesOf('docs/voice.md');
  listenToConsole();
  const load = (file: string): Promise<unknown> =>
    import(/* @vite-ignore */ pathToFileURL(join(folder, file)).href);
  const call = await load('call.ts');
  const bargeIn = await load('barge-in.ts');
  if (!isCall(call) || !isBargeIn(bargeIn)) throw new Error('the page lacks a file');
  const { orThrow: sessions } = call.sessions;
  const { id } = await sessions.create({ start: true });
  const prompt = { id: 'prompt-1', content: 'When are you open?' };
  const answer = await sessions.reply(id, prompt, () => 'From nine to five, and on Saturdays.');
  await bargeIn.keepHeard(id, prompt.id, answer, 'From nine');
  await bargeIn.keepHeard(id, prompt.id, answer, 'From nine');
  const { history } = await sessions.get(id);
  expect(history.map(({ content }) => content)).toEqual(['When are you open?', 'From nine —']);
});
