import {
  type AgentInputItem,
  type AgentOutputItem,
  type Model,
  setTracingDisabled,
  Usage,
} from '@openai/agents';

setTracingDisabled(true);

/** A model that needs no network: `answerTo` returns its answer. */
export const modelOf = (
  answerTo: (input: readonly AgentInputItem[]) => AgentOutputItem | Promise<AgentOutputItem>,
  used: ConstructorParameters<typeof Usage>[0] = {},
): Model => ({
  getResponse: async ({ input }) => ({
    usage: new Usage(used),
    output: [await answerTo(Array.isArray(input) ? input : [])],
  }),
  getStreamedResponse: () => {
    throw new Error('the model does not stream');
  },
});

export const answered = (text: string): AgentOutputItem => ({
  type: 'message',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text }],
});

export const toolCall = (name: string, callId = 'call-1'): AgentOutputItem => ({
  type: 'function_call',
  callId,
  name,
  arguments: '{}',
  status: 'completed',
});
