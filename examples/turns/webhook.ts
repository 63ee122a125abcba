import { setTimeout as pause } from 'node:timers/promises';
import { createWorker, type Message, type SessionService, type Worker } from 'colloquy';

/** What a chat platform posts: perhaps twice or out of order, and it waits for three seconds. */
type Post = Readonly<{ from: string; id: string; text: string; at: Date }>;
type Ask = (said: readonly Omit<Message, 'id'>[], signal: AbortSignal) => Promise<string>;
type Deliver = (to: string, text: string, key: string) => Promise<void>;

export const receive = (sessions: SessionService, { from, id, text, at }: Post) =>
  sessions.orThrow.send(from, { id, content: text, timestamp: at }, { create: true });

export const webhookWorker = (sessions: SessionService, ask: Ask, deliver: Deliver): Worker =>
  createWorker(sessions, {
    run: async ({ session: { id }, number, history, take, signal }) => {
      await pause(300, undefined, { signal }); // lets a burst come together
      const all = [...history, ...(await take())];
      all.sort((a, b) => a.timestamp.localeCompare(b.timestamp)); // in the order of saying
      const answer = await ask(all, signal);
      await deliver(id, answer, `${id}:${number}`); // the same key in each attempt
      return answer;
    },
  });
