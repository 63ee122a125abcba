import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type SessionKey, type SessionLimits, SessionService, unwrap } from '../../src/index.js';
import { MAX_RACES } from '../../src/session/limits.js';
import { rewindTo } from '../support/rewind-to.js';
import { changed } from '../support/store-doubles.js';

const options = { face: 'ada', profile: 'tutor' };
const say = (content: string) => ({ role: 'user', content });

/**
 * A service on a store that runs `interleave` between the read of a source and the insert of its
 * fork.
 */
const interrupted = (
  interleave: (sessions: SessionService, key: SessionKey, attempt: number) => Promise<unknown>,
  limits: Partial<SessionLimits> = {},
) => {
  const inner = new MemorySessionStore();
  const others = new SessionService({ store: inner, limits });
  let attempts = 0;
  const store = changed(inner, {
    entries: async (key, slice) => {
      const read = inner.entries(key, slice);
      attempts += 1;
      await interleave(others, key, attempts);
      return read;
    },
  });
  return { sessions: new SessionService({ store, limits }), others, attempts: () => attempts };
};

const contentsOf = (history: readonly { readonly content: string }[]) =>
  history.map(({ content }) => content);

describe('a fork during changes of its source', () => {
  it('succeeds although entries are appended between each read and insert', async () => {
    const { sessions, others, attempts } = interrupted((writer, { id }) =>
      unwrap(writer.append(id, [say('more')])),
    );
    const { id } = await unwrap(others.create({ ...options, start: true, entries: [say('a')] }));
    const fork = await unwrap(sessions.create({ ...options, from: { id } }));
    expect(attempts()).toBe(1);
    expect(contentsOf((await unwrap(others.get(fork.id))).history)).toEqual(['a']);
  });

  it('contains nothing that was redacted after the read', async () => {
    const { sessions, others, attempts } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await unwrap(writer.redact(id, [1]));
    });
    const { id } = await unwrap(others.create({ ...options, entries: [say('secret'), say('b')] }));
    const fork = await unwrap(sessions.create({ ...options, from: { id } }));
    expect(attempts()).toBe(2);
    expect(contentsOf((await unwrap(others.get(fork.id))).history)).toEqual(['', 'b']);
  });

  it('fails with an invalid position if that was superseded since the read', async () => {
    const { sessions, others } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await unwrap(rewindTo(writer, id, 1, [say('c')]));
    });
    const { id } = await unwrap(
      others.create({ ...options, start: true, entries: [say('a'), say('b')] }),
    );
    const refused = await sessions.create({ ...options, from: { id, position: 2 } });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'from.position' }],
    });
  });

  it('fails with not_found if its source was deleted since the read', async () => {
    const { sessions, others } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await unwrap(writer.delete(id));
    });
    const { id } = await unwrap(others.create({ ...options, entries: [say('a')] }));
    expect((await sessions.create({ ...options, from: { id } }))._unsafeUnwrapErr()).toMatchObject({
      type: 'not_found',
      id,
    });
  });

  it('fails with conflict if its source is rewound each time', async () => {
    const { sessions, others, attempts } = interrupted((writer, { id }) =>
      unwrap(rewindTo(writer, id, 0, [say('again')])),
    );
    const { id } = await unwrap(others.create({ ...options, start: true, entries: [say('a')] }));
    expect((await sessions.create({ ...options, from: { id } }))._unsafeUnwrapErr().type).toBe(
      'conflict',
    );
    expect(attempts()).toBe(MAX_RACES);
    expect((await unwrap(others.list())).total).toBe(1);
  });

  it('is recognised by its key after its source was deleted', async () => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const { id } = await unwrap(sessions.create({ ...options, entries: [say('a')] }));
    const input = { ...options, from: { id }, idempotencyKey: 'fork' };
    const fork = await unwrap(sessions.create(input));
    await unwrap(sessions.delete(id));
    expect(await unwrap(sessions.create(input))).toMatchObject({
      id: fork.id,
      repeated: true,
      history: [say('a')],
    });
  });
});

describe('a fork that reads its source in two pieces', () => {
  const limits = { contentBytes: 900_000, forkBytes: 1_200_000 };
  const [a, b, c] = ['a'.repeat(100_000), 'b'.repeat(500_000), 'c'.repeat(500_000)] as const;
  const replaced =
    (...contents: readonly string[]) =>
    async (writer: SessionService, id: string) => {
      await unwrap(writer.delete(id));
      await unwrap(writer.create({ ...options, id, entries: contents.map(say) }));
    };

  it.each<
    readonly [string, (writer: SessionService, id: string) => Promise<unknown>, readonly string[]]
  >([
    ['redacted', (writer, id) => unwrap(writer.redact(id, [1, 3])), ['', b, '']],
    ['rewound to its second entry', (writer, id) => unwrap(rewindTo(writer, id, 2)), [a, b]],
    ['rewound to its beginning', (writer, id) => unwrap(rewindTo(writer, id, 0)), []],
    ['replaced by a session without entries', replaced(), []],
    ['replaced by a session with more entries', replaced('d', 'e', 'f', 'g'), ['d', 'e', 'f', 'g']],
    ['replaced by a session with larger entries', replaced(b, b), [b, b]],
  ])('copies the current history if the source is %s in between', async (_, change, expected) => {
    const { sessions, others, attempts } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await change(writer, id);
    }, limits);
    const { id } = await unwrap(
      others.create({ ...options, start: true, entries: [a, b, c].map(say) }),
    );
    const fork = await unwrap(sessions.create({ ...options, from: { id } }));
    expect(attempts()).toBeGreaterThan(2);
    expect(contentsOf((await unwrap(others.get(fork.id))).history)).toEqual(expected);
  });
});

describe('the size of a fork', () => {
  const long = async () => {
    const inner = new MemorySessionStore();
    const calls: string[] = [];
    const store = changed(inner, {
      begin: (commit) => {
        calls.push('insert');
        return inner.begin(commit);
      },
      entries: (...args) => {
        calls.push('entries');
        return inner.entries(...args);
      },
    });
    const sessions = new SessionService({
      store,
      limits: { contentBytes: 900_000, forkBytes: 8_000_000 },
    });
    const entries = Array.from({ length: 5 }, (_, at) => say(`${at}`.repeat(500_000)));
    const { id } = await unwrap(sessions.create({ ...options, entries }));
    calls.length = 0;
    return { store, sessions, calls, id, entries };
  };

  it('may be large: a long history is copied completely and in order', async () => {
    const { sessions, id, entries } = await long();
    const created = await unwrap(sessions.create({ ...options, from: { id } }));
    expect((await unwrap(sessions.get(created.id))).history).toMatchObject(entries);
  });

  it('is at most forkBytes: a longer history fails with invalid_input, and nothing is created', async () => {
    const { store, calls, id } = await long();
    const small = new SessionService({ store, limits: { forkBytes: 1_400_000 } });
    const refused = await small.create({ ...options, from: { id } });
    expect(refused._unsafeUnwrapErr()).toMatchObject({
      type: 'invalid_input',
      issues: [{ path: 'from' }],
    });
    expect(calls).toEqual(['entries', 'entries']);
  });
});

it.each([undefined, 0, 1, 2, 9])(
  'a repeated fork returns its history with historyLimit %s',
  async (historyLimit) => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const original = { ...options, start: true, entries: [say('one'), say('two')] };
    const { id } = await unwrap(sessions.create(original));
    const limit = historyLimit === undefined ? {} : { historyLimit };
    const fork = { ...options, from: { id }, entries: [say('three')], ...limit };
    const first = await unwrap(sessions.create({ ...fork, idempotencyKey: 'fork' }));
    const { repeated, ...second } = await unwrap(
      sessions.create({ ...fork, idempotencyKey: 'fork' }),
    );
    expect([repeated, second]).toEqual([true, first]);
    expect(contentsOf(first.history)).toEqual(
      ['one', 'two', 'three'].slice(Math.max(0, 3 - (historyLimit ?? 3))),
    );
    const got = await unwrap(sessions.getOrCreate({ ...fork, id: 'own' }));
    expect(contentsOf(got.history)).toEqual(contentsOf(first.history));
  },
);
