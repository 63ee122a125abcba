import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { saveMessages } from '../../adapters/ai-sdk/index.js';
import { TranscriptStore } from '../../adapters/claude-agent/index.js';
import { EngineSession } from '../../adapters/openai-agents/index.js';
import { openWithSchemas } from '../support/schemas.js';
import { errorOf, startedIn } from '../support/sessions.js';
import { call } from './openai-agents/items.js';

const refused = (path: string) => ({
  type: 'invalid_input',
  issues: [{ path, message: expect.stringContaining('expected string') }],
});

const open = async () => {
  const { sessions } = openWithSchemas({ data: z.string() });
  return { sessions, id: await startedIn(sessions) };
};

describe('a data schema that has no room for the entries of an SDK', () => {
  test('rejects messages of the Vercel AI SDK', async () => {
    const { sessions, id } = await open();
    const parts = [{ type: 'file' as const, mediaType: 'image/png', url: 'data:,' }];
    const saved = saveMessages(sessions, id, [{ id: 'm-1', role: 'user', parts }]);
    expect(await errorOf(saved)).toMatchObject(refused('messages[0]'));
  });

  test('rejects items of the OpenAI Agents SDK', async () => {
    const { sessions, id } = await open();
    const added = new EngineSession(sessions, id).addItems([call('call-1', {})]);
    await expect(added).rejects.toMatchObject({ error: refused('items[0]') });
  });

  test('rejects lines of the Claude Agent SDK', async () => {
    const { sessions } = openWithSchemas({ data: z.string() });
    const key = { projectKey: 'p', sessionId: '5a7c1d5e-0c2e-4f0b-9a57-0d3b8a9f6c11' };
    const appended = new TranscriptStore(sessions).append(key, [{ type: 'user', uuid: 'u' }]);
    await expect(appended).rejects.toMatchObject({ error: refused('entries[0]') });
  });
});
