import { randomBytes } from 'node:crypto';
import { DEMO_ID } from './demo.js';

export interface Served {
  readonly where: string;
  /** The URL at which this machine reaches it. */
  readonly origin: string;
  readonly storeName: string;
  readonly tenant: string;
  /** The API key, if it was generated for this run. Other keys are not printed. */
  readonly generatedKey: string | undefined;
  readonly inspector: boolean;
  /** Whether a sample conversation is stored and answered. */
  readonly demo: boolean;
  /** Whether this program or an application sweeps expired sessions. */
  readonly sweeps: boolean;
  /** Whether the sessions outlive this process. */
  readonly isDurable: boolean;
}

/** Lines of curl, each after its comment. */
const firstCalls = ({ origin, generatedKey, demo }: Served): string => {
  const key = generatedKey === undefined ? '"X-API-KEY: $KEY"' : `'X-API-KEY: ${generatedKey}'`;
  // Answers do not end with a line feed, so curl adds one.
  const curl = `curl -w '\\n' -H ${key}`;
  const post = (path: string, body: object): string =>
    `${curl} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' '${origin}${path}'`;
  const message = { id: `m-${randomBytes(4).toString('hex')}`, content: 'And 7 times 7?' };
  const first = demo
    ? ['send a message', post(`/send-message/${DEMO_ID}`, message)]
    : ['create a session', post('/create-session', { face: 'ada', profile: 'tutor' })];
  const list = ['list the sessions', `${curl} '${origin}/sessions?limit=10&page=1'`];
  return [first, list].map(([comment, line]) => `# ${comment}\n${line}`).join('\n');
};

/** The page of the inspector that shows most. */
const inspectorOf = ({ origin, generatedKey, demo }: Served): string => {
  const password = generatedKey === undefined ? 'an API key' : 'the API key';
  const path = demo ? `/inspector#${DEMO_ID}` : '/inspector';
  return `Inspector: ${origin}${path} (user name: any, password: ${password})`;
};

/**
 * The text that a server prints after its start: its API key, the inspector, and lines of curl. The
 * comments contain no quotes, semicolons or question marks: zsh runs pasted comments as commands.
 */
export const greeting = (served: Served): string => {
  const { where, storeName, tenant, generatedKey, inspector, demo, sweeps, isDurable } = served;
  const hasKey = generatedKey !== undefined;
  const lines = [
    hasKey && `API key, generated for this run: ${generatedKey}`,
    hasKey && 'Set COLLOQUY_API_KEYS to use your own.',
    inspector && inspectorOf(served),
    !sweeps &&
      'Expiries are left to the sweeper of your application. If there is none, use --sweep.',
  ];
  const how = hasKey ? 'Paste' : `With an API key of the tenant ${tenant} in $KEY, paste`;
  const lasts = demo
    ? `Kill it before it has answered (kill -9 ${process.pid}), and start it again: each message is answered once.\n`
    : `Kill it (kill -9 ${process.pid}), start it again, and list the sessions: nothing is lost.\n`;
  return `Colloquy listens on ${where} and stores sessions in ${storeName}. Ctrl-C stops it.

${lines
  .map((line) => line && `${line}\n`)
  .filter(Boolean)
  .join('')}
${how} these lines into another terminal, one after another:

${firstCalls(served)}

${isDurable ? lasts : ''}`;
};
