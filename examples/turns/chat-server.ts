import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { type LanguageModel, streamText } from 'ai';
import { createWorker, type SessionService } from 'colloquy';

const roleOf = (role: string) => (role === 'user' ? ('user' as const) : ('assistant' as const));

/** A chat with streaming, Stop and any number of tabs. Tokens are streamed by this process only. */
export const chatServer = (sessions: SessionService, model: LanguageModel) => {
  const live = new Map<string, { text: string; readonly tabs: Set<(text: string) => void> }>();
  const liveOf = (chat: string) => {
    const found = live.get(chat) ?? { text: '', tabs: new Set() };
    live.set(chat, found);
    return found;
  };
  const worker = createWorker(sessions, {
    run: async ({ session: { id }, history, signal }) => {
      const now = Object.assign(liveOf(id), { text: '' });
      const messages = history.map(({ role, content }) => ({ role: roleOf(role), content }));
      const result = streamText({ model, messages, abortSignal: signal, onError: () => {} });
      for await (const token of result.textStream) {
        now.text += token;
        for (const show of now.tabs) show(token);
      }
      if (!signal.aborted) await result.finishReason; // rejects if the model failed
      return now.text; // after a Stop, what was said until then
    },
    onError: (error) => console.error(error),
  });
  const server = createServer(async (request, response) => {
    const [, chat = '', action] = (request.url ?? '').split('/'); // yours: may this user see it?
    if (action === 'stop') return void sessions.cancel(chat).then(() => response.end());
    if (request.method === 'POST') {
      const sent = await sessions.send(chat, JSON.parse(await text(request)), { create: true });
      return void response.writeHead(sent.isOk() ? 202 : 400).end();
    }
    const show = (event: string, data: unknown) =>
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    const showToken = (token: string) => void show('token', token);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    const now = liveOf((await sessions.orThrow.getOrCreate({ id: chat })).id);
    const gone = new AbortController();
    response.on('close', () => gone.abort(now.tabs.delete(showToken)));
    showToken(now.text);
    now.tabs.add(showToken);
    for await (const item of sessions.watch(chat, { signal: gone.signal }))
      if (item.isOk()) show(item.value.type, item.value);
  });
  return { worker, server };
};
