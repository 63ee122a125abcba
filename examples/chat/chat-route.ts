import { createUIMessageStreamResponse, safeValidateUIMessages, type UIMessage } from 'ai';
import { httpStatusOf, type SessionService } from 'colloquy';
import { loadMessages, saveMessages } from 'colloquy/ai-sdk';
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

/** Whether a message is answered: what the model said after it has read it. */
const isAnswered = (messages: readonly UIMessage[], id: string): boolean => {
  const later = messages.slice(messages.findIndex((message) => message.id === id) + 1);
  return later.some(({ role }) => role === 'assistant');
};

/**
 * `POST /api/chat`, for Hono, Next.js and whatever else speaks Fetch: saves the message, wakes the
 * chat for a worker, and passes on its answer. Yours: check that this user may see this chat.
 */
export const chatRoute =
  (sessions: SessionService, answers: Answers) =>
  async (request: Request): Promise<Response> => {
    const body = requestForm.safeParse(await request.json().catch(() => undefined));
    const checked = await safeValidateUIMessages({ messages: [body.data?.message] });
    const [message] = checked.success ? checked.data : [];
    if (!body.success || message === undefined)
      return new Response('invalid_input', { status: 400 });
    const { id, trigger } = body.data;
    const regenerate = trigger === 'regenerate-message';
    const saved = await saveMessages(sessions, id, [message], { regenerate, wake: true });
    if (saved.isErr()) return refusal(saved.error);
    for (let { position } = saved.value; ; ) {
      // First the stream, so that the answer does not begin or end between the two steps.
      const stream = answers.read(id, position);
      const loaded = await loadMessages<UIMessage>(sessions, id);
      const { messages, position: end } = loaded.unwrapOr({ messages: [], position });
      const answered = isAnswered(messages, message.id);
      if (loaded.isOk() && !answered && end === position)
        return createUIMessageStreamResponse({ stream });
      await answers.leave(id, position, stream);
      if (loaded.isErr()) return refusal(loaded.error);
      if (answered) return new Response('answered', { status: 409 }); // the request came twice
      position = end; // another message came, and one answer covers both
    }
  };

/**
 * `GET /api/chat/:id/stream`, with `resume` of `useChat`: the answer on its way, for a page that
 * was opened meanwhile.
 */
export const resumeRoute =
  (sessions: SessionService, answers: Answers) =>
  async (id: string): Promise<Response> => {
    const loaded = await loadMessages<UIMessage>(sessions, id, { last: 1 });
    if (loaded.isErr()) return refusal(loaded.error);
    const { position } = loaded.value;
    if (!answers.has(id, position)) return new Response(undefined, { status: 204 });
    return createUIMessageStreamResponse({ stream: answers.read(id, position) });
  };

/** `POST /api/chats/:id/stop`, from any page of the chat: what was said of the answer is saved. */
export const stopRoute =
  (sessions: SessionService, answers: Answers) =>
  async (id: string): Promise<Response> => {
    const found = await sessions.get(id, { historyLimit: 0 }).andThrough(() => sessions.cancel(id));
    if (found.isErr()) return refusal(found.error);
    // No worker has the chat yet that would end the answer.
    if (found.value.lease === undefined) answers.end(id);
    return new Response(undefined, { status: 204 });
  };
