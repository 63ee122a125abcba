import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { type NodeListener, nodeListener } from '../../../adapters/node/index.js';
import { createSessionHandler, staticApiKeys } from '../../../src/http/index.js';
import { SessionService, type SessionStore } from '../../../src/index.js';
import { listening } from '../../http/serve.js';
import type { RunningServer } from '../../http/world.js';

/** The key of those who attack, and that of a tenant that they must not hear of. */
export const OUR_KEY = 'our-key-5f0c2e91';
export const THEIR_KEY = 'their-key-77ab41d3';

/** The contents of their session and of a failing store's errors, which nobody else may read. */
const THEIR_TEXT = 'the-neighbours-secret-c0ffee';
export const STORE_TEXT = 'connection to 10.1.2.3:6379 with password hunter2';

export interface Subject {
  readonly listener: NodeListener;
  readonly ours: SessionService;
  /** A session of the other tenant. */
  readonly theirId: string;
}

/** The handler as a listener, with two tenants and a session of the second. */
export const subject = async (store: SessionStore = new MemorySessionStore()): Promise<Subject> => {
  const sessions = new SessionService({ store });
  const theirs = sessions.forTenant('theirs');
  const created = await theirs.create({
    face: 'eve',
    profile: 'tutor',
    context: THEIR_TEXT,
    behavior: THEIR_TEXT,
  });
  const authenticate = staticApiKeys([
    { key: OUR_KEY, tenant: 'ours' },
    { key: THEIR_KEY, tenant: 'theirs' },
  ]);
  return {
    listener: nodeListener(createSessionHandler({ sessions, authenticate })),
    ours: sessions.forTenant('ours'),
    theirId: created.isOk() ? created.value.id : '',
  };
};

export type Served = Subject & RunningServer;

/** The same on a socket of this machine. */
export const serve = async (store?: SessionStore): Promise<Served> => {
  const made = await subject(store);
  return { ...made, ...(await listening(made.listener)) };
};

const secrets = [OUR_KEY, THEIR_KEY, THEIR_TEXT, STORE_TEXT, 'hunter2', process.cwd()];

/** The secrets that a text gives away. */
export const secretsIn = (text: string): readonly string[] =>
  secrets.filter((secret) => text.includes(secret));

/** What a text reveals of the server's internals: stack traces and file names. */
export const insidesIn = (text: string): readonly string[] =>
  text.match(/\n\s*at .*[:(]|node_modules|\.[cm]?[jt]s:\d+/g) ?? [];
