import { describe, expect, it } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { type SessionKey, SessionService, unwrap } from '../../src/index.js';
import { changed } from '../support/store-doubles.js';

const options = { face: 'ada', profile: 'tutor' };
const say = (content: string) => ({ role: 'user', content });

/** A service on a store in which `meanwhile` happens between the read of a source and the insert of its fork. */
const interrupted = (meanwhile: (sessions: SessionService, key: SessionKey, attempt: number) => Promise<unknown>) => {
  const inner = new MemorySessionStore();
  const others = new SessionService({ store: inner });
  let attempts = 0;
  const store = changed(inner, {
    findEntries: async (key, slice) => {
      const read = inner.findEntries(key, slice);
      attempts += 1;
      await meanwhile(others, key, attempts);
      return read;
    },
  });
  return { sessions: new SessionService({ store }), others, attempts: () => attempts };
};

const contentsOf = (history: readonly { readonly content: string }[]) => history.map(({ content }) => content);

describe('a fork of a session that others change at the same time', () => {
  it('succeeds although entries are appended between each read and each insert', async () => {
    const { sessions, others, attempts } = interrupted((writer, { id }) => unwrap(writer.append(id, [say('more')])));
    const { id } = await unwrap(others.create({ ...options, start: true, entries: [say('a')] }));
    const fork = await unwrap(sessions.create({ ...options, from: { id } }));
    expect(attempts()).toBe(1);
    expect(contentsOf((await unwrap(others.get(fork.id))).history)).toEqual(['a']);
  });

  it('has nothing of what was redacted after it was read', async () => {
    const { sessions, others, attempts } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await unwrap(writer.redact(id, [1]));
    });
    const { id } = await unwrap(others.create({ ...options, entries: [say('secret'), say('b')] }));
    const fork = await unwrap(sessions.create({ ...options, from: { id } }));
    expect(attempts()).toBe(2);
    expect(contentsOf((await unwrap(others.get(fork.id))).history)).toEqual(['', 'b']);
  });

  it('is at an invalid position if that was superseded meanwhile', async () => {
    const { sessions, others } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await unwrap(writer.append(id, [say('c')], { after: 1 }));
    });
    const { id } = await unwrap(others.create({ ...options, start: true, entries: [say('a'), say('b')] }));
    const refused = await sessions.create({ ...options, from: { id, position: 2 } });
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_input', issues: [{ path: 'from.position' }] });
  });

  it('is not found if that was deleted meanwhile', async () => {
    const { sessions, others } = interrupted(async (writer, { id }, attempt) => {
      if (attempt === 1) await unwrap(writer.delete(id));
    });
    const { id } = await unwrap(others.create({ ...options, entries: [say('a')] }));
    expect((await sessions.create({ ...options, from: { id } }))._unsafeUnwrapErr()).toMatchObject({
      type: 'not_found',
      id,
    });
  });

  it('is a conflict if it is rewound each time', async () => {
    const { sessions, others, attempts } = interrupted((writer, { id }) =>
      unwrap(writer.append(id, [say('again')], { after: 0 })),
    );
    const { id } = await unwrap(others.create({ ...options, start: true, entries: [say('a')] }));
    expect((await sessions.create({ ...options, from: { id } }))._unsafeUnwrapErr().type).toBe('conflict');
    expect(attempts()).toBe(5);
    expect((await unwrap(others.list())).total).toBe(1);
  });

  it('is recognised by its key after its source was deleted', async () => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const { id } = await unwrap(sessions.create({ ...options, entries: [say('a')] }));
    const input = { ...options, from: { id }, idempotencyKey: 'fork' };
    const fork = await unwrap(sessions.create(input));
    await unwrap(sessions.delete(id));
    expect(await unwrap(sessions.create(input))).toMatchObject({ id: fork.id, repeated: true, history: [say('a')] });
  });
});

describe('the admission of a fork', () => {
  const long = async () => {
    const inner = new MemorySessionStore();
    const calls: string[] = [];
    const store = changed(inner, {
      insert: (...args) => {
        calls.push('insert');
        return inner.insert(...args);
      },
      findEntries: (...args) => {
        calls.push('findEntries');
        return inner.findEntries(...args);
      },
    });
    const sessions = new SessionService({ store, limits: { contentBytes: 900_000 } });
    const entries = Array.from({ length: 5 }, (_, at) => say(`${at}`.repeat(500_000)));
    const { id } = await unwrap(sessions.create({ ...options, entries }));
    calls.length = 0;
    return { sessions, calls, id, entries };
  };

  it('is asked with the bytes read so far, and a long history is copied whole and in order', async () => {
    const { sessions, id, entries } = await long();
    const asked: number[] = [];
    const admit = (bytes: number) => asked.push(bytes) > 0;
    const fork = await unwrap(sessions.create({ ...options, from: { id } }, { admit }));
    expect(asked.map((bytes) => Math.round(bytes / 500_000))).toEqual([2, 4, 5]);
    expect((await unwrap(sessions.get(fork.id))).history).toMatchObject(entries);
  });

  it('creates nothing, and reads no more, if it is refused', async () => {
    const { sessions, calls, id } = await long();
    const refused = await sessions.create({ ...options, from: { id } }, { admit: (bytes) => bytes < 1_500_000 });
    expect(refused._unsafeUnwrapErr()).toMatchObject({ type: 'store_unavailable', outcome: 'not_applied' });
    expect(calls).toEqual(['findEntries', 'findEntries']);
  });

  it('is misconfigured if the function throws, and invalid input if it is none', async () => {
    const { sessions, id } = await long();
    const admit = () => {
      throw new Error('broken');
    };
    const broken = await sessions.create({ ...options, from: { id } }, { admit });
    expect(broken._unsafeUnwrapErr().type).toBe('misconfigured');
    const none: object = { admit: 1 };
    expect((await sessions.create(options, none))._unsafeUnwrapErr().type).toBe('invalid_input');
  });
});
