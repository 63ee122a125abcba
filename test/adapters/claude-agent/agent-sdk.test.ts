import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type SessionStore as AgentSessionStore,
  deleteSession,
  forkSession,
  getSessionMessages,
  getSubagentMessages,
  importSessionToStore,
  listSessions,
  listSubagents,
  renameSession,
  tagSession,
} from '@anthropic-ai/claude-agent-sdk';
import { afterAll, afterEach, beforeAll, beforeEach, expect, expectTypeOf, it, vi } from 'vitest';
import { TranscriptStore } from '../../../adapters/claude-agent/index.js';
import type { SessionClient } from '../../../src/client/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { describeStores } from '../../support/describe-stores.js';

it('TranscriptStore implements the session store of the Claude Agent SDK, over a service and over a client', () => {
  expectTypeOf<TranscriptStore>().toExtend<AgentSessionStore>();
  expectTypeOf<SessionService>().toExtend<ConstructorParameters<typeof TranscriptStore>[0]>();
  expectTypeOf<SessionClient>().toExtend<ConstructorParameters<typeof TranscriptStore>[0]>();
});

const sessionId = '5a7c1d5e-0c2e-4f0b-9a57-0d3b8a9f6c11';
const uuidOf = (number: number): string =>
  `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;

/** A line of a transcript, as Claude Code writes it: users and assistants take turns. */
const lineOf = (number: number, more: object = {}) => ({
  parentUuid: number === 1 ? null : uuidOf(number - 1),
  isSidechain: false,
  type: number % 2 === 1 ? 'user' : 'assistant',
  message:
    number % 2 === 1
      ? { role: 'user', content: `question ${number}` }
      : { role: 'assistant', content: [{ type: 'text', text: `answer ${number}` }] },
  uuid: uuidOf(number),
  timestamp: '2026-01-31T18:00:00.000Z',
  sessionId,
  ...more,
});
const linesOf = (count: number, more?: object) =>
  Array.from({ length: count }, (_, at) => lineOf(at + 1, more));
const jsonl = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

let config: string;
let dir: string;
beforeAll(() => {
  config = realpathSync(mkdtempSync(join(tmpdir(), 'colloquy-claude-')));
  dir = join(config, 'work');
  mkdirSync(dir);
});
beforeEach(() => vi.stubEnv('CLAUDE_CONFIG_DIR', config));
afterEach(() => vi.unstubAllEnvs());
afterAll(() => rmSync(config, { recursive: true, force: true }));

/** What the SDK makes of the working directory. */
const projectKeyOf = (path: string): string => path.replace(/[^A-Za-z0-9]/g, '-');

describeStores('the functions of the Claude Agent SDK', (open) => {
  let sessionStore: TranscriptStore;
  let sessions: SessionService;
  beforeEach(async () => {
    sessions = new SessionService({ store: await open() });
    sessionStore = new TranscriptStore(sessions);
  });
  const options = () => ({ dir, sessionStore });
  const messagesOf = async (id = sessionId) =>
    (await getSessionMessages(id, options())).map(({ message }) => message);
  const written = async (count: number) => {
    await sessionStore.append(
      { projectKey: projectKeyOf(dir), sessionId },
      linesOf(count, { cwd: dir }),
    );
  };

  it('list sessions and read their messages', async () => {
    await written(4);
    expect(await listSessions(options())).toMatchObject([{ sessionId, firstPrompt: 'question 1' }]);
    expect(await messagesOf()).toEqual(linesOf(4).map(({ message }) => message));
    expect(await getSessionMessages(uuidOf(1), options())).toEqual([]);
  });

  it('rename and tag sessions', async () => {
    await written(2);
    await renameSession(sessionId, 'Tax return', options());
    await tagSession(sessionId, 'private', options());
    expect(await listSessions(options())).toMatchObject([
      { customTitle: 'Tax return', tag: 'private' },
    ]);
    await tagSession(sessionId, null, options());
    expect((await listSessions(options()))[0]?.tag).toBeUndefined();
  });

  it('fork a session, which continues independently', async () => {
    await written(4);
    const fork = await forkSession(sessionId, { ...options(), upToMessageId: uuidOf(2) });
    expect(await messagesOf(fork.sessionId)).toEqual(linesOf(2).map(({ message }) => message));
    await deleteSession(sessionId, options());
    expect(await messagesOf()).toEqual([]);
    expect((await listSessions(options())).map(({ sessionId: id }) => id)).toEqual([
      fork.sessionId,
    ]);
  });

  it('import a session with its subagents exactly once, however often and in whatever batches', async () => {
    const project = join(config, 'projects', projectKeyOf(dir));
    const subagents = join(project, sessionId, 'subagents');
    mkdirSync(subagents, { recursive: true });
    writeFileSync(join(project, `${sessionId}.jsonl`), jsonl(linesOf(30, { cwd: dir })));
    const ofAgent = linesOf(6, { isSidechain: true, agentId: 'abc' });
    writeFileSync(join(subagents, 'agent-abc.jsonl'), jsonl(ofAgent));
    await importSessionToStore(sessionId, sessionStore, { dir });
    await importSessionToStore(sessionId, new TranscriptStore(sessions), { dir, batchSize: 7 });
    await importSessionToStore(sessionId, sessionStore, { dir, batchSize: 3 });
    expect(await messagesOf()).toEqual(linesOf(30).map(({ message }) => message));
    expect(await listSubagents(sessionId, options())).toEqual(['abc']);
    expect(await getSubagentMessages(sessionId, 'abc', options())).toHaveLength(6);
    const key = { projectKey: projectKeyOf(dir), sessionId };
    expect(await sessionStore.load(key)).toHaveLength(30);
    expect(await sessionStore.load({ ...key, subpath: 'subagents/agent-abc' })).toEqual(ofAgent);
  });
});
