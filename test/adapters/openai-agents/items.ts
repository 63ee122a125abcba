import type { AgentInputItem } from '@openai/agents';
import { EngineSession } from '../../../adapters/openai-agents/index.js';
import { SessionService, type SessionStore } from '../../../src/index.js';
import { ada, okOf } from '../../support/sessions.js';

/** A session of the SDK over a new session of the engine, with what else a test asks. */
export const openSession = async (store: SessionStore) => {
  const sessions = new SessionService({ store });
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  return { sessions, id, session: new EngineSession<AgentInputItem>(sessions, id) };
};

export const user = (content: string): AgentInputItem => ({
  type: 'message',
  role: 'user',
  content,
});

export const assistant = (text: string): AgentInputItem => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

export const call = (callId: string, args: object): AgentInputItem => ({
  type: 'function_call',
  callId,
  name: 'multiply',
  arguments: JSON.stringify(args),
  status: 'completed',
});
