import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { SessionService } from '../../src/service/session-service.js';
import { changed } from '../support/store-doubles.js';
import { memoryStoreWith } from '../testing/planted-bug.js';

const opened = async (store = new MemorySessionStore()) => {
  const sessions = new SessionService({ store });
  await sessions.orThrow.create({ face: 'ada', profile: 'tutor', id: 'chat', start: true });
  return { sessions, store };
};

const gate = () => {
  let open = (): void => undefined;
  const opens = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opens, open };
};

describe('concurrent replies to one session', () => {
  test('do not take the turn of a run in progress', async () => {
    const { sessions } = await opened();
    const [begun, end] = [gate(), gate()];
    const first = sessions.orThrow.reply('chat', 'One?', async () => {
      begun.open();
      await end.opens;
      return 'One.';
    });
    await begun.opens;
    const second = sessions.reply('chat', 'Two?', () => 'Two.', { timeoutMs: 0 });
    expect((await second)._unsafeUnwrapErr().type).toBe('not_answered');
    end.open();
    expect(await first).toMatchObject({ content: 'One.', ran: true });
    expect(await sessions.orThrow.inbox('chat')).toMatchObject([{ content: 'Two?' }]);
  });

  test('store a message even if its timeout has passed', async () => {
    let races = 0;
    const store = memoryStoreWith((inner) => ({
      put: (commit) => {
        if (commit.effects.send !== undefined && races++ === 0) {
          const state = inner.findState(commit.key)._unsafeUnwrap();
          return inner.change({ ...commit, guards: { revision: (state?.revision ?? 0) + 1 } });
        }
        return inner.change(commit);
      },
    }));
    const sessions = new SessionService({ store });
    await sessions.orThrow.create({ face: 'ada', profile: 'tutor', id: 'chat', start: true });
    const reply = await sessions.orThrow.reply('chat', 'One?', () => 'One.', { timeoutMs: 0 });
    expect(reply).toMatchObject({ content: 'One.' });
  });
});

test('a release with entries creates a new revision, so that a stale claim is refused', async () => {
  const { sessions, store } = await opened();
  await sessions.orThrow.send('chat', 'One?');
  const { claimed } = await sessions.orThrow.claim({ holder: 'worker', seconds: 60 });
  const key = { tenant: 'default', id: 'chat' };
  const before = store.findState(key)._unsafeUnwrap();
  const fencingToken = claimed[0]?.lease.fencingToken ?? 0;
  await sessions.orThrow.release('chat', { fencingToken, done: true, entries: ['One.'] });
  const after = store.findState(key)._unsafeUnwrap();
  expect(after?.revision).not.toBe(before?.revision);
});

test.each(['before', 'after'] as const)(
  'a rewind to a message of a session that is replaced names the message: %s',
  async (place) => {
    const replacements: (() => Promise<void>)[] = [];
    const inner = new MemorySessionStore();
    const { sessions: others } = await opened(inner);
    const store = changed(inner, {
      messages: async (...args) => {
        const found = await inner.messages(...args);
        await replacements.pop()?.();
        return found;
      },
    });
    const sessions = new SessionService({ store });
    await others.orThrow.reply('chat', { id: 'm', content: 'One?' }, () => 'One.');
    replacements.push(async () => {
      await others.orThrow.delete('chat');
      await others.orThrow.create({ face: 'ada', profile: 'tutor', id: 'chat', start: true });
    });
    const rewound = await sessions.rewind('chat', { [place]: 'm' });
    expect(rewound._unsafeUnwrapErr()).toMatchObject({
      type: 'invalid_input',
      message: `${place} is not the id of a message in this history`,
    });
  },
);
