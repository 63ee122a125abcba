import { fileURLToPath } from 'node:url';
import type { UIMessage } from 'ai';
import type { SessionService } from 'colloquy';
import { loadMessages } from 'colloquy/ai-sdk';
import { build } from 'esbuild';
import { Hono } from 'hono';
import type { Answers } from './answers.js';
import { chatRoute, refusal, resumeRoute, stopRoute } from './chat-route.js';

const html =
  '<!doctype html><meta charset="utf-8"><title>Chat</title><body><script src="/page.js"></script>';

const bundledPage = async (): Promise<string> => {
  const entry = fileURLToPath(new URL('page/page.tsx', import.meta.url));
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
  });
  return outputFiles.map(({ text }) => text).join('');
};

/** The routes of the chat, and its page. */
export const chatApp = async (sessions: SessionService, answers: Answers): Promise<Hono> => {
  const script = await bundledPage();
  const post = chatRoute(sessions, answers);
  const resume = resumeRoute(answers);
  const stop = stopRoute(sessions);
  return new Hono()
    .get('/', async (context) => {
      const { id } = await sessions.orThrow.create({ start: true });
      return context.redirect(`/chats/${id}`);
    })
    .get('/chats/:id', (context) => context.html(html))
    .get('/page.js', (context) =>
      context.body(script, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
    )
    .get('/api/chats/:id', async (context) => {
      const before = context.req.query('before');
      const options = { last: 20, ...(before !== undefined && { before: Number(before) }) };
      const page = await loadMessages<UIMessage>(sessions, context.req.param('id'), options);
      if (page.isErr()) return refusal(page.error);
      return Response.json({ messages: page.value.messages, before: page.value.before });
    })
    .post('/api/chat', (context) => post(context.req.raw))
    .get('/api/chat/:id/stream', (context) => resume(context.req.param('id')))
    .post('/api/chats/:id/stop', (context) => stop(context.req.param('id')));
};
