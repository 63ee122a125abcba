import { randomBytes } from 'node:crypto';
import { idOfIdempotencyKey } from '../session/ids.js';

/** A running server, as its greeting describes it. */
export interface Served {
  /** Where it listens, as text. */
  readonly where: string;
  /** The URL at which this machine reaches it. */
  readonly origin: string;
  /** Where the sessions are, as text. */
  readonly storeName: string;
  /** The tenant of the printed lines. */
  readonly tenant: string;
  /** The API key, if it was generated for this run. Other keys are not printed. */
  readonly generatedKey: string | undefined;
  readonly commands: boolean;
  readonly events: boolean;
  readonly inspector: boolean;
  /** Whether this program or an application sweeps expired sessions. */
  readonly sweeps: boolean;
  /** Whether the sessions outlive this process. */
  readonly isDurable: boolean;
}

/** Lines of curl that lead through a session, each after its comment. */
const stepsThrough = async (served: Served): Promise<string> => {
  const { origin, tenant, generatedKey, commands, events } = served;
  const key = generatedKey === undefined ? '"X-API-KEY: $KEY"' : `'X-API-KEY: ${generatedKey}'`;
  // Answers do not end with a line feed, so curl adds one.
  const curl = `curl -w '\\n' -H ${key}`;
  const post = (path: string, body: object, header = ''): string =>
    `${curl} ${header}-H 'Content-Type: application/json' -d '${JSON.stringify(body)}' '${origin}${path}'`;
  // The idempotency key determines the session id, so the lines can contain the id.
  const once = `try-${randomBytes(4).toString('hex')}`;
  const id = await idOfIdempotencyKey(tenant, once);
  const append = (role: string, content: string) =>
    post(`/append-history/${id}`, { entries: [{ role, content }] });
  const body = { face: 'ada', profile: 'tutor', ...(commands && { time_limit: 600 }) };
  const steps = [
    ['create a session', post('/create-session', body, `-H 'Idempotency-Key: ${once}' `)],
    ['list the sessions', `${curl} '${origin}/sessions?limit=10&page=1'`],
    commands && ['start it', `${curl} -X POST '${origin}/start-session/${id}'`],
    commands && ['append to its history', append('user', 'What is 6 times 7?')],
    events && [
      'watch it in the background until it ends',
      `${curl} -sN '${origin}/session/${id}/events' &`,
    ],
    commands && ['append the reply', append('assistant', '42.')],
    commands && ['terminate it', `${curl} -X POST '${origin}/terminate-session/${id}'`],
    ['get the session', `${curl} '${origin}/session/${id}'`],
  ];
  return steps
    .filter((step) => step !== false)
    .map(([comment, line]) => `# ${comment}\n${line}`)
    .join('\n');
};

/**
 * The text that a server prints after its start: its API key, the inspector, and lines of curl that
 * lead through a session. The comments contain no quotes, semicolons or question marks: zsh runs
 * pasted comments as commands.
 */
export const greeting = async (served: Served): Promise<string> => {
  const { where, storeName, tenant, generatedKey, inspector, sweeps, isDurable } = served;
  const hasKey = generatedKey !== undefined;
  const password = hasKey ? 'the API key' : 'an API key';
  const lines = [
    isDurable &&
      `Try this: kill it (kill -9 ${process.pid}), start it again, and list the sessions.`,
    hasKey && `API key, generated for this run: ${generatedKey}`,
    hasKey && 'Set COLLOQUY_API_KEYS to use your own.',
    inspector && `Inspector: ${served.origin}/inspector (user name: any, password: ${password})`,
    !sweeps &&
      'Ends by the clock are left to the sweeper of your application. If there is none, use --sweep.',
  ];
  const how = hasKey ? 'Paste' : `With an API key of the tenant ${tenant} in $KEY, paste`;
  return `Colloquy listens on ${where} and stores sessions in ${storeName}. Ctrl-C stops it.

${lines
  .map((line) => line && `${line}\n`)
  .filter(Boolean)
  .join('')}
${how} these lines into another terminal, one after another:

${await stepsThrough(served)}
`;
};
