import { onTestFinished } from 'vitest';
import type { SessionChange, SessionService, WatchOptions } from '../../src/index.js';

/** A watch that ends after the test. */
export const watching = (sessions: SessionService, id: string, options: WatchOptions = {}) => {
  const watch = sessions.watch(id, options)[Symbol.asyncIterator]();
  onTestFinished(async () => {
    await watch.return?.();
  });
  return {
    next: async (): Promise<SessionChange | 'end'> => {
      const { value, done } = await watch.next();
      return done === true ? 'end' : value._unsafeUnwrap();
    },
    error: async () => (await watch.next()).value._unsafeUnwrapErr(),
    stop: () => watch.return?.(),
  };
};

/** Summarises an item: its type, the status, and the new content. */
export const briefOf = (change: SessionChange | 'end'): string => {
  if (change === 'end') return 'end';
  const type = change.type.replace('session.', '');
  if (change.type === 'session.deleted') return type;
  if (change.type === 'session.expiring') return `${type} ${change.endReason}`;
  const entries = change.type === 'session.snapshot' ? change.session.history : change.entries;
  const { status, endReason } = change.session;
  return [type, status, endReason, ...entries.map(({ content }) => content)]
    .filter(Boolean)
    .join(' ');
};

/** The cursor of an item that is not the end. */
export const cursorOf = (change: SessionChange | 'end'): string => {
  if (change === 'end') throw new Error('the watch has ended');
  return change.cursor;
};
