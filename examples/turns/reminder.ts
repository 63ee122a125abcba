import { createWorker, type HistoryEntry, type SessionService, type Worker } from 'colloquy';

type Ask = (history: readonly HistoryEntry[], signal: AbortSignal) => Promise<string>;

/** Says something at a time, whether or not the user has written since. */
export const remind = (sessions: SessionService, chat: string, at: Date, text: string) =>
  sessions.orThrow
    .update(chat, { metadata: { reminder: text } })
    .then(() => sessions.orThrow.wake(chat, { at }));

export const reminderWorker = (sessions: SessionService, askModel: Ask): Worker =>
  createWorker(sessions, {
    run: async ({ session: { metadata }, messages, woken, history, signal }) => {
      const answer = messages.length > 0 ? [await askModel(history, signal)] : [];
      return woken ? [...answer, `${metadata['reminder']}`] : answer;
    },
  });
