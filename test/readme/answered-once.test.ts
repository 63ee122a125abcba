import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { createWorker, type SessionService, unwrap, type Worker } from '../../src/index.js';
import { isFields } from '../../src/session/fields.js';
import {
  type SimulatedHost,
  type SimulatedSessions,
  simulate,
} from '../../src/simulation/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { documentOf, root } from './documents.js';
import { SampleFolder } from './run-sample.js';
import { blocksIn } from './samples.js';

const SEEDS = moreIfLong(5, 1000);
const MESSAGES = ['m1', 'm2', 'm3'];

type History = readonly { readonly content: string }[];
type Ask = (history: History) => Promise<string>;
type Answer = (chat: string, messageId: string, text: string) => Promise<unknown>;

/** What `answering` exports: the code of a page on the sessions and the model of the test. */
interface Made {
  readonly make: (...given: unknown[]) => unknown;
}

const isMade = (module: unknown): module is Made =>
  isFields(module) && typeof module['make'] === 'function';

const folder = new SampleFolder();
afterAll(() => folder.remove());

const codeIn = (path: string, wanted: string): string => {
  const found = blocksIn(documentOf(path), 'ts').find(({ code }) => code.includes(wanted));
  if (found === undefined) throw new Error(`${path} has no ${wanted}`);
  return found.code;
};

const made = async (name: string, code: string): Promise<Made['make']> => {
  const module = await folder.run({ name, code, runs: true });
  if (!isMade(module)) throw new Error(`${name} cannot be made`);
  return module.make;
};

/** The function `answer` of a page. */
const answerOf = async (path: string) => {
  const code = codeIn(path, 'export const answer');
  const body = code
    .slice(code.indexOf('export const answer'))
    .replace('export ', '')
    .replace(/^console\.log.*$/m, '');
  const make = await made(
    path,
    `export const make = (sessions, askModel, unwrap) => {${body}return answer};`,
  );
  return (sessions: SessionService, askModel: Ask): Answer => {
    const isResult = body.includes('unwrap(');
    const answer = make(isResult ? sessions : sessions.orThrow, askModel, unwrap);
    return async (...given) => Reflect.apply(Object(answer), undefined, given);
  };
};

/** The worker of a page or an example. */
const workerOf = async (path: string) => {
  const text = path.endsWith('.md')
    ? codeIn(path, 'createWorker(sessions')
    : readFileSync(join(root, path), 'utf8');
  const code = /createWorker\(sessions, \{\n[\s\S]*?\n\}\);/.exec(text)?.[0] ?? '';
  const quiet = 'const console = { log: () => {}, error: () => {} };';
  const given = 'createWorker, sessions, askModel, answerTo = askModel';
  const make = await made(path, `${quiet} export const make = (${given}) => ${code}`);
  return (sessions: SessionService, askModel: Ask): Worker => {
    const worker = make(createWorker, sessions, askModel);
    return Object(worker);
  };
};

const sleep = ({ clock }: SimulatedHost, ms: number) =>
  new Promise<void>((resolve) => void clock.after(ms, resolve));

/** A model that thinks for up to ten seconds. */
const modelOf =
  (given: SimulatedHost): Ask =>
  async (history) => {
    await sleep(given, 10_000 * given.random());
    return `after ${history.map(({ content }) => content).join()}`;
  };

/** Sends each message until it is answered, as a client does whose process may be killed. */
const insist = async (given: SimulatedHost, send: () => Promise<unknown>): Promise<void> => {
  while (!given.signal.aborted) {
    await sleep(given, 2000 * given.random());
    try {
      await send();
      return;
    } catch {
      // Sent again with the same id.
    }
  }
};

/** Each message is stored once, no answer follows an answer, and the last entry is an answer. */
const isAnsweredOnce = async ({ sessions }: SimulatedSessions): Promise<void> => {
  const { history } = await sessions.orThrow.get('chat');
  const said = history.flatMap(({ role, content }) => (role === 'user' ? [content] : []));
  expect(said.toSorted()).toEqual(MESSAGES);
  const roles = history.flatMap(({ role }) => (role === 'note' ? [] : [role])).join();
  expect(roles).not.toContain('assistant,assistant');
  expect(roles).toMatch(/assistant$/);
};

const storyOf = async (host: (given: SimulatedHost) => unknown): Promise<string | undefined> => {
  // A lease of a host whose clock was ahead runs out some minutes later.
  const calm = 600;
  const options = { host, check: isAnsweredOnce, seeds: SEEDS, calm, onProgress: () => {} };
  return (await simulate(options)).failure?.story;
};

describe('messages in flight in processes that are killed', () => {
  test.for(['README.md', 'docs/chat.md'])(
    'are each answered once by the route of %s',
    async (path) => {
      const answering = await answerOf(path);
      const story = await storyOf(async (given) => {
        const answer = answering(given.sessions, modelOf(given));
        const sent = MESSAGES.map((id) => insist(given, () => answer('chat', id, id)));
        await Promise.all(sent);
      });
      expect(story).toBeUndefined();
    },
  );

  test.for(['docs/fleet.md', 'docs/workers.md', 'examples/fleet/worker.ts'])(
    'are each answered once by the worker of %s, whatever entries follow them',
    async (path) => {
      const working = await workerOf(path);
      const story = await storyOf(async (given) => {
        const { orThrow } = given.sessions;
        const worker = working(given.sessions, modelOf(given));
        worker.start();
        const say = async (id: string) => {
          await orThrow.getOrCreate({ id: 'chat' });
          await orThrow.send('chat', { id, content: id });
          await orThrow.append('chat', [{ role: 'note', content: 'heard' }]);
        };
        await Promise.all(MESSAGES.map((id) => insist(given, () => say(id))));
        await new Promise<void>((resolve) =>
          given.signal.addEventListener('abort', () => resolve()),
        );
        await worker.stop();
      });
      expect(story).toBeUndefined();
    },
  );
});
