import {
  type AgentInputItem,
  type FunctionCallResultItem,
  type Model,
  type ModelRequest,
  type ModelResponse,
  Usage,
} from '@openai/agents';

const textOf = (item: AgentInputItem | undefined): string => {
  if (item?.type !== 'message' || item.role !== 'user') return '';
  return typeof item.content === 'string' ? item.content : '';
};

const resultOf = (output: FunctionCallResultItem['output']): string => {
  if (typeof output === 'string') return output;
  return 'text' in output ? output.text : 'It is done.';
};

const say = (text: string): ModelResponse['output'] => [
  { type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text }] },
];

/** What a model would answer to a conversation: it multiplies with a tool, and knows what was asked before. */
const answerTo = (input: readonly AgentInputItem[]): ModelResponse['output'] => {
  const last = input.at(-1);
  if (last?.type === 'function_call_result') return say(resultOf(last.output));
  const question = textOf(last);
  const factors = question.match(/\d+/g)?.map(Number);
  if (factors !== undefined) {
    const [a, b] = factors;
    const callId = `call-${input.length}`;
    return [
      { type: 'function_call', callId, name: 'multiply', arguments: JSON.stringify({ a, b }), status: 'completed' },
    ];
  }
  const questions = input.map(textOf).filter((text) => text !== '' && text !== question);
  return say(questions.length === 0 ? 'You have asked nothing yet.' : `You have asked: ${questions.join(' ')}`);
};

/** Replace this with a model of the SDK: it needs no network and no key. */
export const scriptedModel: Model = {
  getResponse: async ({ input }: ModelRequest) => ({
    usage: new Usage(),
    output: answerTo(typeof input === 'string' ? [{ type: 'message', role: 'user', content: input }] : input),
  }),
  getStreamedResponse: () => {
    throw new Error('the scripted model does not stream');
  },
};
