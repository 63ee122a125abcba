import type { SessionStore as AgentStore } from '@anthropic-ai/claude-agent-sdk';
import { describe, expect, it } from 'vitest';
import { TranscriptStore } from '../../../adapters/claude-agent/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { describeStores } from '../../support/describe-stores.js';

const main = { projectKey: '-home-ada-project', sessionId: '5a7c1d5e-0c2e-4f0b-9a57-0d3b8a9f6c11' };
const agent = { ...main, subpath: 'subagents/agent-a' };
const other = { ...main, subpath: 'subagents/agent-b' };

const line = (text: string, uuid: string = crypto.randomUUID()) => ({ type: 'user', uuid, message: { content: text } });
const lines = (count: number) => Array.from({ length: count }, (_, at) => line(`line ${at}`));

describeStores('a transcript store', (open) => {
  /** As many stores as there are processes, over one database. */
  const processes = async (count: number) => {
    const store = await open();
    return Array.from({ length: count }, () => new TranscriptStore(new SessionService({ store })));
  };
  const transcripts = async (): Promise<AgentStore & TranscriptStore> => {
    const [first] = await processes(1);
    if (first === undefined) throw new Error('no store');
    return first;
  };

  describe('append and load', () => {
    it('give the lines back as they were, in their order', async () => {
      const store = await transcripts();
      const written = [
        { type: 'user', uuid: 'u1', nested: { list: [1, [null, 'ä\u0000\ud83d'], {}], no: false } },
        { type: 'custom-title', customTitle: 'Tax' },
        { type: 'x'.repeat(100), uuid: 'y'.repeat(300), timestamp: 'not a time' },
      ];
      await store.append(main, written);
      expect(await store.load(main)).toEqual(written);
    });
  });
});
