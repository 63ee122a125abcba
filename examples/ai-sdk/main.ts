// A chat of the Vercel AI SDK whose messages are kept in a Colloquy session. The route is that of a host, and the client is
// the transport that `useChat` uses in a page. Only the model is scripted, and the network is left out.
import { DefaultChatTransport, generateId, readUIMessageStream, type UIMessage } from 'ai';
import { SessionService, unwrap } from 'colloquy';
import { MemorySessionStore } from 'colloquy/memory';
import { chatRoute } from './chat-route.js';
import { ChatStore } from './chat-store.js';
import { scriptedModel } from './scripted-model.js';

const sessions = new SessionService({ store: new MemorySessionStore(), tenant: 'acme' });
const chats = new ChatStore(sessions);
const model = scriptedModel(['6 times 7 is 42.', 'It is 42: 7 six times.', '12 times 12 is 144.']);
const post = chatRoute(chats, model, (error) => console.error(error));

// As in a page: useChat({ id, messages, transport }).
const transport = new DefaultChatTransport<UIMessage>({
  api: 'http://localhost/api/chat',
  fetch: (url, init) => post(new Request(url, init)),
  prepareSendMessagesRequest: ({ id, messages, trigger }) => ({ body: { id, message: messages.at(-1), trigger } }),
});

const textOf = ({ role, parts }: UIMessage): string =>
  `${role}: ${parts.map((part) => (part.type === 'text' ? part.text : '')).join('')}`;

const chatId = await unwrap(chats.create());

/** What a page shows that is opened now, in whichever process. */
const load = async (): Promise<UIMessage[]> => [...(await unwrap(chats.load(chatId)))];

const send = async (trigger: 'submit-message' | 'regenerate-message', messages: UIMessage[]): Promise<void> => {
  const stream = await transport.sendMessages({
    chatId,
    trigger,
    messages,
    messageId: undefined,
    abortSignal: undefined,
  });
  // The page would draw each of these states of the answer.
  for await (const _ of readUIMessageStream({ stream }));
};

const user = (text: string): UIMessage => ({ id: generateId(), role: 'user', parts: [{ type: 'text', text }] });

const question = user('What is 6 times 7?');
await send('submit-message', [question]);
await send('regenerate-message', [question]);
await send('submit-message', [...(await load()), user('And 12 times 12?')]);
for (const message of await load()) console.log(textOf(message));

// Two tabs at once: one is answered, the other may try again when the answer is there.
const tabs = [user('From one tab'), user('From the other')].map((message) => send('submit-message', [message]));
const outcomes = await Promise.allSettled(tabs);
console.log(outcomes.map(({ status }) => status).join(', '));
