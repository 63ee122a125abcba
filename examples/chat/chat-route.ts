import { createUIMessageStreamResponse, safeValidateUIMessages } from 'ai';
import { httpStatusOf, type SessionService } from 'colloquy';
import { sendMessage } from 'colloquy/ai-sdk';
import { z } from 'zod';
import type { Answers } from './answers.js';

/** What `prepareSendMessagesRequest` of the page sends: the last message, not the whole chat. */
const requestForm = z.object({
  id: z.string(),
  message: z.looseObject({ id: z.string(), role: z.literal('user') }),
  trigger: z.enum(['submit-message', 'regenerate-message']),
});

export const refusal = (error: Parameters<typeof httpStatusOf>[0]): Response =>
  new Response(error.type, { status: httpStatusOf(error) });

/**
 * `POST /api/chat`, for Hono, Next.js and whatever else speaks Fetch: sends the message, and streams
 * the answer that a worker gives. Yours: check that this user may see this chat.
 */
export const chatRoute =
  (sessions: SessionService, answers: Answers) =>
  async (request: Request): Promise<Response> => {
    const body = requestForm.safeParse(await request.json().catch(() => undefined));
    const checked = await safeValidateUIMessages({ messages: [body.data?.message] });
    const [message] = checked.success ? checked.data : [];
    if (!body.success || message === undefined)
      return new Response('invalid_input', { status: 400 });
    const { id: chat, trigger } = body.data;
    const regenerate = trigger === 'regenerate-message';
    const sent = await sendMessage(sessions, chat, message, { regenerate });
    if (sent.isErr()) return refusal(sent.error);
    const { id } = sent.value;
    const stream = answers.read(chat, id);
    const answered = await sessions.answer(chat, id, { timeoutMs: 0 });
    if (answered.isOk() || answered.error.type !== 'not_answered') {
      await stream.cancel();
      return answered.isErr() ? refusal(answered.error) : new Response('answered', { status: 409 });
    }
    void sessions.answer(chat, id, { timeoutMs: 600_000 }).then(() => answers.close(chat, id));
    return createUIMessageStreamResponse({ stream });
  };

/**
 * `GET /api/chat/:id/stream`, with `resume` of `useChat`: the answer that is being written, for a
 * page that was opened in the meantime.
 */
export const resumeRoute = (answers: Answers) => (id: string) => {
  const stream = answers.readLatest(id);
  return stream
    ? createUIMessageStreamResponse({ stream })
    : new Response(undefined, { status: 204 });
};

/** `POST /api/chats/:id/stop`, from any page of the chat: what was said of the answer is stored. */
export const stopRoute = (sessions: SessionService) => async (id: string) => {
  const stopped = await sessions.withdraw(id).andThen(() => sessions.cancel(id));
  return stopped.isErr() ? refusal(stopped.error) : new Response(undefined, { status: 204 });
};
