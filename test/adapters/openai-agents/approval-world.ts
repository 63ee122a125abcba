import { Agent, tool } from '@openai/agents';
import { z } from 'zod';
import type { SessionService, Worker } from '../../../src/index.js';
import { isFields } from '../../../src/session/fields.js';
import { answered, modelOf, toolCall } from './scripted-model.js';

/** What the sample of docs/human-approval.md exports. */
export interface Approvals {
  readonly workerFor: (sessions: SessionService, agent: Agent) => Worker;
  readonly ask: (
    sessions: SessionService,
    id: string,
    messageId: string,
    question: string,
  ) => Promise<void>;
  readonly decide: (
    sessions: SessionService,
    id: string,
    position: number,
    content: 'approve' | 'reject',
  ) => Promise<unknown>;
}

export const isApprovals = (module: unknown): module is Approvals =>
  isFields(module) &&
  ['workerFor', 'ask', 'decide'].every((name) => typeof module[name] === 'function');

const textOf = (output: unknown): unknown => (isFields(output) ? output['text'] : output);

/** An agent that pays a bill, if that is approved, and says what came of it. */
export const clerk = (
  pay: (callId: string | undefined) => unknown,
  needsApproval = true,
): Agent => {
  const model = modelOf((input) => {
    const last = input.at(-1);
    if (last?.type !== 'function_call_result') return toolCall('pay');
    return answered(`Result: ${textOf(last.output)}`);
  });
  const execute = async (_: object, __: unknown, details?: { toolCall?: { callId?: string } }) => {
    await pay(details?.toolCall?.callId);
    return 'paid';
  };
  const parameters = z.object({});
  const tools = [tool({ name: 'pay', description: 'pay', parameters, needsApproval, execute })];
  return new Agent({ name: 'Clerk', model, tools });
};
