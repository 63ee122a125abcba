import {
  convertToModelMessages,
  generateId,
  type LanguageModel,
  streamText,
  toUIMessageStream,
  type UIMessage,
  type UIMessageChunk,
} from 'ai';
import { createWorker, type SessionService, unwrap, type Worker } from 'colloquy';
import { loadMessages, saveMessages } from 'colloquy/ai-sdk';
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

/**
 * Whether the user has stopped the answer. Otherwise another worker may have the chat, and gives
 * the answer.
 */
const isStopped = ({ reason }: AbortSignal): boolean => reason?.type === 'cancelled';

/**
 * Answers the messages that wake their chats: each once, in any number of processes, however often
 * one of them dies.
 */
export const chatWorker = (
  sessions: SessionService,
  model: LanguageModel,
  answers: Answers,
): Worker =>
  createWorker(sessions, {
    run: async ({ session: { id }, sessions: held, signal }) => {
      for (;;) {
        const { messages, position: ifPosition } = await unwrap(loadMessages<UIMessage>(held, id));
        const last = (author: string) => messages.findLastIndex(({ role }) => role === author);
        if (last('user') <= last('assistant')) return; // an attempt before this one has answered
        answers.begin(id, ifPosition);
        const say = (chunk: UIMessageChunk) => answers.say(id, ifPosition, chunk);
        try {
          const said = await answerTo(messages, { model, signal, say });
          // The lease is over when the user stops the answer: `held` can no longer write, but
          // nobody else has the chat.
          const saved = await saveMessages(isStopped(signal) ? sessions : held, id, said, {
            ifPosition,
          });
          // The user has said more meanwhile: answer that.
          if (saved.isOk() || signal.aborted || saved.error.type !== 'history_moved') return saved;
        } finally {
          answers.end(id, ifPosition);
        }
      }
    },
    onError: (error) => console.error(error),
  });
