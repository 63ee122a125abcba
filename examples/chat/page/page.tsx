import { useChat } from '@ai-sdk/react';
import { DefaultChatTransport, type UIMessage } from 'ai';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';

interface Page {
  readonly messages: UIMessage[];
  /** Absent at the beginning of the chat. */
  readonly before?: number;
}

const id = location.pathname.split('/').at(-1) ?? '';

const load = async (before?: number): Promise<Page> => {
  const response = await fetch(
    `/api/chats/${id}${before === undefined ? '' : `?before=${before}`}`,
  );
  if (!response.ok) throw new Error(await response.text());
  return response.json();
};

const transport = new DefaultChatTransport<UIMessage>({
  api: '/api/chat',
  // The rest of the chat is on the server.
  prepareSendMessagesRequest: ({ id, messages, trigger }) => ({
    body: { id, message: messages.at(-1), trigger },
  }),
});

/** Ends the answer, whichever tab has asked for it. */
const stop = () => fetch(`/api/chats/${id}/stop`, { method: 'POST' });

const textOf = ({ parts }: UIMessage): string =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('');

const Chat = ({ page }: { readonly page: Page }) => {
  const { messages, setMessages, sendMessage, regenerate, status, error } = useChat({
    id,
    messages: page.messages,
    transport,
    resume: true, // shows an answer that was asked for before a reload, or in another tab
  });
  const [before, setBefore] = useState(page.before);
  const [input, setInput] = useState('');
  const isBusy = status === 'submitted' || status === 'streaming';
  const showEarlier = async () => {
    const earlier = await load(before);
    setMessages((shown) => [...earlier.messages, ...shown]);
    setBefore(earlier.before);
  };
  const edit = (messageId: string, old: string) => {
    const text = prompt('Edit the message', old);
    if (text) void sendMessage({ text, messageId });
  };
  return (
    <main>
      {before !== undefined && (
        <button type="button" onClick={showEarlier}>
          Earlier
        </button>
      )}
      <ol>
        {messages.map((message) => (
          <li key={message.id} data-role={message.role}>
            {textOf(message)}{' '}
            {message.role === 'user' && (
              <button
                type="button"
                disabled={isBusy}
                onClick={() => edit(message.id, textOf(message))}
              >
                Edit
              </button>
            )}
          </li>
        ))}
      </ol>
      {error !== undefined && <p role="alert">{error.message}</p>}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void sendMessage({ text: input });
          setInput('');
        }}
      >
        <input
          aria-label="Message"
          value={input}
          onChange={(event) => setInput(event.target.value)}
        />
        <button type="submit" disabled={isBusy || input === ''}>
          Send
        </button>
        <button
          type="button"
          disabled={isBusy || messages.length === 0}
          onClick={() => regenerate()}
        >
          Again
        </button>
        <button type="button" disabled={!isBusy} onClick={() => stop()}>
          Stop
        </button>
      </form>
    </main>
  );
};

const root = createRoot(document.body);
load().then(
  (page) => root.render(<Chat page={page} />),
  (error) => root.render(<p role="alert">{String(error)}</p>),
);
