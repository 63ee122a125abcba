import {
  Agent,
  type AgentOutputItem,
  type Model,
  setTracingDisabled,
  tool,
  Usage,
} from '@openai/agents';
import { z } from 'zod';
import type { SessionService, Worker } from '../../../src/index.js';
import { isFields } from '../../../src/session/fields.js';

setTracingDisabled(true);

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
  const model: Model = {
    getResponse: async ({ input }) => {
      const last = Array.isArray(input) ? input.at(-1) : undefined;
      const output: AgentOutputItem =
        last?.type === 'function_call_result'
          ? {
              ...{ type: 'message', role: 'assistant', status: 'completed' },
              content: [{ type: 'output_text', text: `Result: ${textOf(last.output)}` }],
            }
          : {
              ...{ type: 'function_call', callId: 'call-1', name: 'pay' },
              ...{ arguments: '{}', status: 'completed' },
            };
      return { usage: new Usage(), output: [output] };
    },
    getStreamedResponse: () => {
      throw new Error('the model does not stream');
    },
  };
  const execute = async (_: object, __: unknown, details?: { toolCall?: { callId?: string } }) => {
    await pay(details?.toolCall?.callId);
    return 'paid';
  };
  const parameters = z.object({});
  const tools = [tool({ name: 'pay', description: 'pay', parameters, needsApproval, execute })];
  return new Agent({ name: 'Clerk', model, tools });
};
