import {
  convertToModelMessages,
  generateId,
  type LanguageModel,
  streamText,
  toUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { createWorker, type SessionService, type Worker } from 'colloquy';
import { entriesOf, messagesOf } from 'colloquy/ai-sdk';
import type { Answers } from './answers.js';

/**
 * The answer of the model, or what was said of it if the signal was aborted. Rejects if the model
 * fails.
 */
const answerTo = async (
  messages: UIMessage[],
  {
    model,
    signal,
    say,
  }: { model: LanguageModel; signal: AbortSignal; say: (chunk: UIMessageChunk) => void },
): Promise<UIMessage[]> => {
  const result = streamText({
    model,
    // A stopped answer may have a call without its result.
    messages: await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true }),
    abortSignal: signal,
  });
  const said: UIMessage[] = [];
  const stream = toUIMessageStream({
    stream: result.stream,
    originalMessages: messages,
    generateMessageId: generateId,
    onEnd: ({ responseMessage }) => void said.push(responseMessage),
  });
  for await (const chunk of stream) say(chunk);
  if (!signal.aborted) await result.finishReason;
  return said;
};

/** Answers the messages of pages, in any number of processes, however often one of them dies. */
export const chatWorker = (
  sessions: SessionService,
  model: LanguageModel,
  answers: Answers,
): Worker =>
  createWorker(sessions, {
    run: async ({ session: { id }, messages, history, signal }) => {
      answers.begin(
        id,
        messages.map((message) => message.id),
      );
      try {
        const say = (chunk: UIMessageChunk) => answers.say(id, chunk);
        return entriesOf(await answerTo(messagesOf<UIMessage>(history), { model, signal, say }));
      } finally {
        answers.end(id);
      }
    },
    onError: (error) => console.error(error),
  });
