import type { UIMessage } from 'ai';
import { loadMessages } from '../../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { SessionService, type SessionStore, unwrap } from '../../../src/index.js';
import { ada, okOf } from '../../support/sessions.js';

export const user = (id: string, text: string): UIMessage => ({
  id,
  role: 'user',
  parts: [{ type: 'text', text }],
});

export const assistant = (id: string, text: string): UIMessage => ({
  id,
  role: 'assistant',
  parts: [{ type: 'step-start' }, { type: 'text', text, state: 'done' }],
});

export const textOf = ({ parts }: UIMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

/** A started chat, and what a page shows that opens it now. */
export const openedChat = async (store: SessionStore = new MemorySessionStore()) => {
  const sessions = new SessionService({ store });
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const load = async (): Promise<UIMessage[]> =>
    (await unwrap(loadMessages<UIMessage>(sessions, id))).messages;
  const texts = async (): Promise<string[]> => (await load()).map(textOf);
  return { sessions, id, load, texts };
};
