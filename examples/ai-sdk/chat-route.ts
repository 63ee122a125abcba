import {
  consumeStream,
  convertToModelMessages,
  createIdGenerator,
  type LanguageModel,
  safeValidateUIMessages,
  streamText,
  type UIMessage,
} from 'ai';
import type { SessionError } from 'colloquy';
import { z } from 'zod';
import type { ChatStore, Turn } from './chat-store.js';

/** What `prepareSendMessagesRequest` of the page sends: the last message, not the whole chat. */
const requestForm = z.object({
  id: z.string(),
  message: z.looseObject({ id: z.string().min(1), role: z.literal('user') }),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
});

const generateMessageId = createIdGenerator({ prefix: 'msg', size: 16 });

const problem = (status: number, detail: string): Response => Response.json({ status, detail }, { status });

const statuses: Readonly<Partial<Record<SessionError['type'], number>>> = {
  invalid_input: 400,
  not_found: 404,
  leased: 409,
  lease_lost: 409,
  invalid_transition: 409,
};

const refusal = ({ type, message }: SessionError): Response => problem(statuses[type] ?? 503, message);

/** `POST /api/chat`, for Next.js, Hono and whatever else speaks Fetch. Yours: check that this user may see this chat. */
export const chatRoute = (chats: ChatStore, model: LanguageModel, onError: (error: unknown) => void) => {
  const answer = async (turn: Turn, stored: readonly UIMessage[]): Promise<Response> => {
    const messages = [...stored];
    const result = streamText({ model, messages: await convertToModelMessages(messages) });
    return result.toUIMessageStreamResponse({
      originalMessages: messages,
      generateMessageId,
      // The answer is read to its end here too, and so kept whole, even if the user has closed the page.
      consumeSseStream: ({ stream }) => consumeStream({ stream, onError }),
      onFinish: async ({ responseMessage }) => {
        const saved = await chats.save(turn, responseMessage);
        if (saved.isErr()) onError(saved.error);
        await chats.release(turn);
      },
    });
  };

  const reply = async (turn: Turn, message: unknown, isAgain: boolean): Promise<Response> => {
    const checked = await safeValidateUIMessages({ messages: [message] });
    const [said] = checked.success ? checked.data : [];
    if (said === undefined) return problem(400, 'message must be a UIMessage');
    const saved = await chats.save(turn, said, isAgain);
    if (saved.isErr()) return refusal(saved.error);
    const loaded = await chats.load(turn.chatId);
    if (loaded.isErr()) return refusal(loaded.error);
    const isAnswered = loaded.value.at(-1)?.id !== said.id;
    return isAnswered ? problem(409, 'this message has been answered') : answer(turn, loaded.value);
  };

  return async (request: Request): Promise<Response> => {
    const body = requestForm.safeParse(await request.json().catch(() => undefined));
    if (!body.success) return problem(400, 'the body must have id and message, which is the last one of the user');
    const { id, message, trigger } = body.data;
    const turn = await chats.take(id);
    if (turn.isErr()) return refusal(turn.error);
    const response = await reply(turn.value, message, trigger === 'regenerate-message').catch((error: unknown) => {
      onError(error);
      return problem(500, 'the message could not be answered');
    });
    // Otherwise the turn ends with the answer.
    if (!response.ok) await chats.release(turn.value);
    return response;
  };
};
