import { describe, expect, it } from 'vitest';
import {
  TranscriptStore,
  type TranscriptStoreOptions,
} from '../../../adapters/claude-agent/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import type { SessionServiceOptions } from '../../../src/service/service-options.js';
import type { SessionObserver } from '../../../src/service/session-observer.js';
import { SessionService } from '../../../src/service/session-service.js';
import { serve } from '../../client/served.js';
import { okOf, openSessions } from '../../support/sessions.js';

const key = { projectKey: '-home-ada-tax', sessionId: '5a7c1d5e-0c2e-4f0b-9a57-0d3b8a9f6c11' };
const agent = { ...key, subpath: 'subagents/agent-a' };
const line = (uuid: string, message: object = {}) => ({ type: 'user', uuid, message });

const opened = (
  options: Partial<SessionServiceOptions> = {},
  transcripts: TranscriptStoreOptions = {},
) => {
  const { sessions, store, clock } = openSessions(options);
  return { sessions, store, clock, transcripts: new TranscriptStore(sessions, transcripts) };
};

describe('the session of a Claude transcript', () => {
  it('is rejected without quoting its context if another program wrote that', async () => {
    const { sessions, transcripts } = opened();
    const labels = { 'claude.project': key.projectKey };
    await okOf(
      sessions.create({ face: 'a', profile: 'b', labels, context: 'secret', start: true }),
    );
    const error = await transcripts.listSessions(key.projectKey).catch((cause: unknown) => cause);
    expect(String(error)).toBe('Error: the context of a transcript is not its key');
  });

  it('shows roles and texts in a readable history', async () => {
    const { sessions, transcripts } = opened();
    const long = 'a'.repeat(20_000);
    await transcripts.append(key, [
      { type: 'user', uuid: 'u1', message: { role: 'user', content: 'Hello' } },
      {
        type: 'assistant',
        message: {
          content: [{ type: 'text', text: 'Hi. ' }, { type: 'tool_use' }, { text: 'Bye.' }],
        },
      },
      { type: 'custom-title', customTitle: 'Tax' },
      { type: 'user', message: { content: long } },
    ]);
    const { sessions: listed } = await okOf(sessions.list());
    expect(listed).toMatchObject([
      { status: 'ACTIVE', options: { face: 'claude', profile: '-home-ada-tax' } },
    ]);
    expect(listed[0]?.history.map(({ role, content, id }) => [role, content, id])).toEqual([
      ['user', 'Hello', 'u1'],
      ['assistant', 'Hi. Bye.', undefined],
      ['custom-title', '', undefined],
      ['user', long.slice(0, 10_000), undefined],
    ]);
  });

  it('never cuts an emoji at the end of a long message', async () => {
    const { sessions, transcripts } = opened();
    const content = `${'a'.repeat(9_999)}😀`;
    await transcripts.append(key, [{ type: 'user', message: { content } }]);
    const { sessions: listed } = await okOf(sessions.list());
    expect(listed[0]?.history[0]?.content).toBe('a'.repeat(9_999));
  });

  it('uses the face and profile that the host chooses, which may change', async () => {
    const { sessions, store, transcripts } = opened({}, { face: 'agent', profile: 'tax' });
    await transcripts.append(key, [line('u1')]);
    expect((await okOf(sessions.list())).sessions).toMatchObject([
      { options: { face: 'agent', profile: 'tax' } },
    ]);
    await new TranscriptStore(new SessionService({ store }), { face: 'other' }).append(key, [
      line('u2'),
    ]);
    expect(await transcripts.load(key)).toEqual([line('u1'), line('u2')]);
  });

  it('costs one command per batch', async () => {
    const calls: string[] = [];
    const observer: SessionObserver = {
      run: ({ name }, call) => {
        calls.push(name);
        return call();
      },
    };
    const { transcripts } = opened({ observers: [observer] });
    await transcripts.append(key, [line('u1')]);
    await transcripts.append(key, [line('u2')]);
    calls.length = 0;
    for (const uuid of ['u3', 'u4', 'u5']) await transcripts.append(key, [line(uuid)]);
    expect(calls).toEqual(['append', 'append', 'append']);
  });

  it('is never written to by a reader', async () => {
    const { store, transcripts } = opened();
    await transcripts.append(key, [line('u1')]);
    const { sessions } = openSessions({ store });
    const before = await okOf(sessions.list());
    const reader = new TranscriptStore(sessions);
    for (const each of [key, agent]) await reader.load(each);
    await reader.listSessions(key.projectKey);
    await reader.listSubkeys(key);
    expect(await okOf(sessions.list())).toEqual(before);
  });

  it('accepts lines a day later, when its batch marker has expired', async () => {
    const { clock, transcripts } = opened();
    await transcripts.append(key, [line('u1')]);
    await transcripts.append(key, [line('u2')]);
    clock.pass(2 * 86_400_000);
    await transcripts.append(key, [line('u2'), line('u3')]);
    expect(await transcripts.load(key)).toEqual([line('u1'), line('u2'), line('u3')]);
  });

  it('rejects lines after it has ended, with its status in the error', async () => {
    const { clock, transcripts } = opened({ limits: { timeLimit: 60 } });
    await transcripts.append(key, [line('u1')]);
    clock.pass(60_000);
    await expect(transcripts.append(key, [line('u2')])).rejects.toThrow(
      /invalid_transition.*TERMINATED/,
    );
    expect(await transcripts.load(key)).toEqual([line('u1')]);
  });

  it('names a rejected line by its index in the call', async () => {
    const { transcripts } = opened({ limits: { entriesPerAppend: 2 } });
    const wrong = line('u3', { at: new Date(0) });
    const refused = { error: { issues: [{ path: 'entries[1]' }] } };
    const created = transcripts.append(key, [line('u1'), wrong]);
    await expect(created).rejects.toMatchObject(refused);
    await transcripts.append(key, [line('u1')]);
    const repeated = transcripts.append(key, [line('u1'), wrong]);
    await expect(repeated).rejects.toMatchObject(refused);
    const later = transcripts.append(key, [line('u1'), line('u2'), line('u1'), wrong]);
    await expect(later).rejects.toThrow(/invalid_input: entries\[3\] /);
    expect(await transcripts.load(key)).toEqual([line('u1'), line('u2')]);
  });

  it('rejects a line that is too large, and accepts it if the host raises the limit', async () => {
    const large = line('u1', { content: 'a'.repeat(300_000) });
    const { transcripts } = opened();
    await expect(transcripts.append(key, [large])).rejects.toThrow(
      /invalid_input.*entries\[0\] must.*262144 bytes/,
    );
    expect(await transcripts.load(key)).toBeNull();
    const generous = opened({ limits: { contentBytes: 1_000_000 } }).transcripts;
    await generous.append(key, [large]);
    expect(await generous.load(key)).toEqual([large]);
  });

  it('rejects an empty subpath', async () => {
    const { transcripts } = opened();
    await expect(transcripts.append({ ...key, subpath: '' }, [line('u1')])).rejects.toThrow(
      'subpath must be absent in the key of a main transcript',
    );
  });

  it('omits redacted lines', async () => {
    const { sessions, transcripts } = opened();
    await transcripts.append(key, [line('u1'), line('u2')]);
    const [session] = (await okOf(sessions.list())).sessions;
    await okOf(sessions.redact(session?.id ?? '', [1]));
    expect(await transcripts.load(key)).toEqual([line('u2')]);
  });

  it("is separate from the host's own sessions", async () => {
    const { sessions, transcripts } = opened();
    await okOf(
      sessions.create({
        face: 'f',
        profile: 'p',
        labels: { project: key.projectKey, parent: 'x' },
      }),
    );
    await transcripts.append(key, [line('u1')]);
    expect(await transcripts.listSessions(key.projectKey)).toHaveLength(1);
    await transcripts.delete(key);
    expect((await okOf(sessions.list())).total).toBe(1);
  });

  it("follows the host's limits", async () => {
    const { transcripts } = opened({ limits: { entriesPerAppend: 3, pageBytes: 1000 } });
    const lines = Array.from({ length: 10 }, (_, at) =>
      line(`u${at}`, { content: 'a'.repeat(400) }),
    );
    await transcripts.append(key, lines);
    expect(await transcripts.load(key)).toEqual(lines);
  });
});

describe('transcripts over HTTP', () => {
  it('are written, listed, read and deleted by a client during writes of a host process', async () => {
    const { client, sessions } = await serve();
    const [remote, local] = [new TranscriptStore(client), new TranscriptStore(sessions)];
    for (const [at, store] of [remote, local, remote, remote, local].entries()) {
      await store.append(key, [line(`u${at}`), line('shared')]);
    }
    await remote.append(agent, [line('u1')]);
    const uuids = (await remote.load(key))?.map(({ uuid }) => uuid);
    expect(uuids).toEqual(['u0', 'shared', 'u1', 'u2', 'u3', 'u4']);
    expect(await remote.listSubkeys(key)).toEqual([agent.subpath]);
    expect(await remote.listSessions(key.projectKey)).toMatchObject([{ sessionId: key.sessionId }]);
    await remote.delete(key);
    expect(await local.load(agent)).toBeNull();
  });
});

it('two processes that begin a transcript concurrently create one session', async () => {
  const store = new MemorySessionStore();
  const processes = Array.from(
    { length: 5 },
    () => new TranscriptStore(new SessionService({ store })),
  );
  await Promise.all(processes.map((each, at) => each.append(key, [line('first'), line(`u${at}`)])));
  const uuids = (await processes[0]?.load(key))?.map(({ uuid }) => uuid);
  expect(uuids?.sort()).toEqual(['first', 'u0', 'u1', 'u2', 'u3', 'u4']);
});
