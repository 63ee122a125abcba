import {
  consumeStream,
  convertToModelMessages,
  createUIMessageStreamResponse,
  generateId,
  type LanguageModel,
  safeValidateUIMessages,
  streamText,
  toUIMessageStream,
  type UIMessage,
} from 'ai';
import { type HeldLease, httpStatusOf, type SessionService } from 'colloquy';
import { loadMessages, saveMessages } from 'colloquy/ai-sdk';
import { z } from 'zod';

/** What `prepareSendMessagesRequest` of the page sends: the last message, not the whole chat. */
const requestForm = z.object({
  id: z.string(),
  message: z.looseObject({ id: z.string(), role: z.literal('user') }),
  trigger: z.enum(['submit-message', 'regenerate-message']),
});

const refusal = (error: Parameters<typeof httpStatusOf>[0]): Response =>
  new Response(error.type, { status: httpStatusOf(error) });

/** `POST /api/chat`, for Hono, Next.js and whatever else speaks Fetch. Yours: check that this user may see this chat. */
export const chatRoute =
  (sessions: SessionService, model: LanguageModel) =>
  async (request: Request): Promise<Response> => {
    const body = requestForm.safeParse(await request.json().catch(() => undefined));
    const checked = await safeValidateUIMessages({ messages: [body.data?.message] });
    const [message] = checked.success ? checked.data : [];
    if (!body.success || message === undefined) return new Response('invalid_input', { status: 400 });
    const { id, trigger } = body.data;

    return new Promise<Response>((respond) => {
      const answer = async ({ sessions: held, signal }: HeldLease<SessionService>): Promise<void> => {
        const loaded = await saveMessages(held, id, [message], {
          regenerate: trigger === 'regenerate-message',
        }).andThen(() => loadMessages<UIMessage>(held, id));
        if (loaded.isErr()) return respond(refusal(loaded.error));
        const { messages, position: ifPosition } = loaded.value;
        // The request came twice.
        if (messages.at(-1)?.id !== message.id) return respond(new Response('answered', { status: 409 }));
        const result = streamText({
          model,
          // A stopped answer may have a call without its result.
          messages: await convertToModelMessages(messages, { ignoreIncompleteToolCalls: true }),
          // Ends the answer when the lease is lost, and when the user stops it or closes the page.
          abortSignal: AbortSignal.any([signal, request.signal]),
        });
        // The lease is held until the answer is saved, or what was said of it.
        await new Promise<void>((done) => {
          const stream = toUIMessageStream({
            stream: result.stream,
            originalMessages: messages,
            generateMessageId: generateId,
            onEnd: async ({ responseMessage }) => {
              await saveMessages(held, id, [responseMessage], { ifPosition }).orTee(console.error);
              done();
            },
          });
          // The answer is read to its end here too, so that it is saved even if the connection is closed.
          const response = createUIMessageStreamResponse({ stream, consumeSseStream: consumeStream });
          respond(response);
        });
      };
      // One tab is answered at a time: the others get 409.
      sessions
        .withLease(id, { holder: crypto.randomUUID(), seconds: 15 }, answer)
        .orTee((error) => respond(refusal(error)));
    });
  };
