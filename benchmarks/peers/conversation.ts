import type { SessionData } from 'express-session';
import { expect } from '../subjects/suite.js';
import { CHANGES, ENTRIES, SESSIONS, upTo } from './peer.js';

interface Entry {
  readonly role: string;
  readonly content: string;
}

declare module 'express-session' {
  interface SessionData {
    history: readonly Entry[];
  }
}

/** A session as a host of express-session may keep a conversation in it. */
export const conversation = (history: readonly Entry[]): SessionData => ({ cookie: { originalMaxAge: null }, history });

export const areWhole = (sessions: readonly SessionData[]): void => {
  expect(sessions.length === SESSIONS, 'all sessions');
  expect(
    sessions.every(({ history }) => history.length === ENTRIES),
    'whole histories',
  );
};

/** What stores of express-session have in common; their own types leave much open. */
interface Store {
  readonly get: (id: string) => Promise<SessionData>;
  readonly set: (id: string, data: SessionData) => Promise<unknown>;
}

/** As express-session does it around a request: reads the session, lets the host change it, writes it whole. */
export const changeTogether = async ({ get, set }: Store): Promise<number> => {
  await set('shared', conversation([]));
  await Promise.all(
    upTo(CHANGES).map(async (at) => {
      const { history } = await get('shared');
      await set('shared', conversation([...history, { role: 'user', content: String(at) }]));
    }),
  );
  return (await get('shared')).history.length;
};
