import { err, type Result, ResultAsync } from 'neverthrow';
import { describe, expect, it } from 'vitest';
import { TranscriptStore } from '../../../adapters/claude-agent/index.js';
import { SessionService } from '../../../src/service/session-service.js';
import { type StoreError, storeUnavailable } from '../../../src/session/errors.js';
import type { Answer, SessionStore } from '../../../src/store/session-store.js';
import { describeStores } from '../../support/describe-stores.js';
import { okOf } from '../../support/sessions.js';
import { changed } from '../../support/store-doubles.js';

const main = { projectKey: '-home-ada-tax', sessionId: '5a7c1d5e-0c2e-4f0b-9a57-0d3b8a9f6c11' };
const elsewhere = { ...main, projectKey: '-home-ada-letters' };
const later = { ...main, sessionId: '0b1f6a0e-58d5-4d4e-8d6f-5b0c2f1e7a22' };
const agent = (name: string) => ({ ...main, subpath: `subagents/agent-${name}` });

const line = (uuid: string) => ({
  type: 'user',
  uuid,
  message: { role: 'user', content: `the text of ${uuid}` },
});
const lines = (...uuids: readonly string[]) => uuids.map(line);
const upTo = (count: number) => Array.from({ length: count }, (_, at) => line(`u${at}`));

const storeOn = (store: SessionStore): TranscriptStore =>
  new TranscriptStore(new SessionService({ store }));

describeStores('a Claude transcript', (open) => {
  const newStore = async () => storeOn(await open());
  /** Stores as of two processes. */
  const newStores = async () => {
    const store = await open();
    return [storeOn(store), storeOn(store)] as const;
  };

  it('loads the lines of all appends in order', async () => {
    const store = await newStore();
    const written = [
      {
        type: 'user',
        uuid: 'nested',
        nested: { list: [1, [null, 'ä\u0000\ud83d'], {}], no: false },
      },
      { type: 'custom-title', customTitle: 'Tax' },
      { type: 'x'.repeat(100), uuid: 'y'.repeat(300), timestamp: 'not a time' },
      ...upTo(20),
    ];
    await Promise.all(written.map((each) => store.append(main, [each])));
    expect(await store.load(main)).toEqual(written);
  });

  it('does not exist until it has a line', async () => {
    const store = await newStore();
    await store.append(main, []);
    expect(await store.load(main)).toBeNull();
    expect(await store.load(agent('a'))).toBeNull();
    expect(await store.listSessions(main.projectKey)).toEqual([]);
    await store.append(main, lines('u1'));
    await store.append(main, []);
    expect(await store.load(main)).toEqual(lines('u1'));
  });

  it('never contains lines of another project, session or subagent', async () => {
    const store = await newStore();
    const keys = [main, elsewhere, later, agent('a'), agent('b'), { ...main, subpath: 'a/b c' }];
    for (const [at, key] of keys.entries()) await store.append(key, lines(`u${at}`));
    for (const [at, key] of keys.entries()) expect(await store.load(key)).toEqual(lines(`u${at}`));
  });

  it('may have any name', async () => {
    const store = await newStore();
    const names = [
      '',
      ' ',
      'a'.repeat(256),
      'a'.repeat(5000),
      'ä',
      '\ud83d',
      '\ud83e',
      'a\u0000b',
      '["a"]',
      'sha256:',
    ];
    for (const projectKey of names) {
      await store.append({ projectKey, sessionId: projectKey }, lines(projectKey));
      await store.append(
        { projectKey, sessionId: projectKey, subpath: `${projectKey}/x` },
        lines('agent'),
      );
    }
    for (const projectKey of names) {
      const key = { projectKey, sessionId: projectKey };
      expect(await store.load(key)).toEqual(lines(projectKey));
      expect(await store.listSessions(projectKey)).toMatchObject([{ sessionId: projectKey }]);
      expect(await store.listSubkeys(key)).toEqual([`${projectKey}/x`]);
    }
  });

  it('keeps all lines of a batch that is larger than one append', async () => {
    const [store, other] = await newStores();
    const written = upTo(2500);
    await store.append(main, written);
    expect(await store.load(main)).toEqual(written);
    await other.append(main, [...written.slice(100, 1900), ...lines('last')]);
    expect(await store.load(main)).toEqual([...written, ...lines('last')]);
  });

  it('lists main transcripts by project, with the time of their last change', async () => {
    const store = await newStore();
    await store.append(main, lines('u1'));
    await store.append(later, lines('u2'));
    await store.append(elsewhere, lines('u3'));
    await store.append(
      { ...agent('a'), sessionId: 'of a session without a main transcript' },
      lines('u4'),
    );
    const listed = await store.listSessions(main.projectKey);
    expect(listed.map(({ sessionId }) => sessionId).sort()).toEqual([
      later.sessionId,
      main.sessionId,
    ]);
    for (const { mtime } of listed) expect(Math.abs(Date.now() - mtime)).toBeLessThan(600_000);
    expect(listed.every(({ mtime }) => Number.isInteger(mtime))).toBe(true);
    expect(await store.listSessions('unknown')).toEqual([]);
  });

  it('lists the subagents of a session', async () => {
    const store = await newStore();
    await store.append(main, lines('u1'));
    expect(await store.listSubkeys(main)).toEqual([]);
    await store.append(agent('a'), lines('u2'));
    await store.append(agent('b'), lines('u3'));
    await store.append({ ...agent('c'), sessionId: later.sessionId }, lines('u4'));
    expect((await store.listSubkeys(main)).sort()).toEqual([
      agent('a').subpath,
      agent('b').subpath,
    ]);
    expect(await store.listSubkeys({ projectKey: 'x', sessionId: 'never' })).toEqual([]);
  });

  describe('a line with a uuid', () => {
    it('is stored once if it repeats within a batch, in a retry, or in a batch of another process', async () => {
      const [store, other] = await newStores();
      await store.append(main, lines('u1', 'u2', 'u1'));
      await store.append(main, lines('u1', 'u2', 'u1'));
      await other.append(main, lines('u2', 'u3'));
      await store.append(main, lines('u3', 'u4', 'u1'));
      await other.append(main, lines('u1', 'u2', 'u3', 'u4'));
      expect(await store.load(main)).toEqual(lines('u1', 'u2', 'u3', 'u4'));
    });

    it('is stored once, whereas a line without one is stored as often as it was appended', async () => {
      const [store, other] = await newStores();
      const title = { type: 'custom-title', customTitle: 'Tax' };
      await store.append(main, [title, title]);
      await store.append(main, [title]);
      await other.append(main, [title]);
      expect(await store.load(main)).toEqual([title, title, title, title]);
    });

    it('is stored once, whichever processes append it concurrently', async () => {
      const store = await open();
      const batches = Array.from({ length: 4 }, (_, process) =>
        Array.from({ length: 5 }, (_, at) => lines(`shared ${at}`, `${process} ${at}`)),
      );
      await Promise.all(
        batches.map((own) => {
          const process = storeOn(store);
          return Promise.all(own.map((batch) => process.append(main, batch)));
        }),
      );
      const loaded = (await storeOn(store).load(main)) ?? [];
      const uuids = loaded.map(({ uuid }) => uuid);
      expect([...uuids].sort()).toEqual(
        [...new Set(batches.flat(2).map(({ uuid }) => uuid))].sort(),
      );
      for (const process of batches.keys()) {
        const own = uuids.filter((uuid) => uuid?.startsWith(`${process} `));
        expect(own).toEqual([0, 1, 2, 3, 4].map((at) => `${process} ${at}`));
      }
    });
  });

  describe('deleting a transcript', () => {
    it('deletes its subagents and nothing else', async () => {
      const [store, other] = await newStores();
      for (const key of [main, agent('a'), agent('b'), elsewhere, later])
        await store.append(key, lines('u1'));
      await other.delete(main);
      for (const key of [main, agent('a'), agent('b')]) expect(await store.load(key)).toBeNull();
      for (const key of [elsewhere, later]) expect(await store.load(key)).toEqual(lines('u1'));
      expect(await store.listSubkeys(main)).toEqual([]);
      expect((await store.listSessions(main.projectKey)).map(({ sessionId }) => sessionId)).toEqual(
        [later.sessionId],
      );
    });

    it('deletes only the subagent if a subpath is given', async () => {
      const store = await newStore();
      for (const key of [main, agent('a'), agent('b')]) await store.append(key, lines('u1'));
      await store.delete(agent('a'));
      expect(await store.load(agent('a'))).toBeNull();
      for (const key of [main, agent('b')]) expect(await store.load(key)).toEqual(lines('u1'));
    });

    it('succeeds if the transcript never existed', async () => {
      const store = await newStore();
      await store.delete(main);
      await store.delete(agent('a'));
    });

    it('leaves nothing in the store', async () => {
      const database = await open();
      const store = storeOn(database);
      await store.append(main, lines('u1'));
      await store.append(agent('a'), lines('u1'));
      await store.delete(main);
      expect((await okOf(new SessionService({ store: database }).list())).total).toBe(0);
    });

    it('lets it begin again, whichever processes delete and append', async () => {
      const [store, other] = await newStores();
      await store.append(main, lines('u1'));
      await store.delete(main);
      await store.append(main, lines('u1', 'u2'));
      await store.append(main, lines('u3'));
      await other.delete(main);
      await store.append(main, lines('u1'));
      expect(await other.load(main)).toEqual(lines('u1'));
    });

    it('is noticed by a process even if another process rewrites the transcript to the same length', async () => {
      const [store, other] = await newStores();
      await store.append(main, lines('u1'));
      await store.append(main, lines('u2'));
      await other.delete(main);
      await other.append(main, lines('v1'));
      await other.append(main, lines('v2'));
      await store.append(main, lines('u1', 'v1', 'u2'));
      expect(await store.load(main)).toEqual(lines('v1', 'v2', 'u1', 'u2'));
      await other.delete(main);
      await other.append(main, lines('w1', 'w2', 'w3', 'w4'));
      await store.append(main, lines('u1', 'u2'));
      expect(await store.load(main)).toEqual(lines('w1', 'w2', 'w3', 'w4', 'u1', 'u2'));
    });

    it('takes effect after the appends that were called before it', async () => {
      const store = await newStore();
      await Promise.all([
        store.append(main, lines('u1')),
        store.append(agent('a'), lines('u2')),
        store.delete(main),
      ]);
      expect(await store.load(main)).toBeNull();
      expect(await store.load(agent('a'))).toBeNull();
    });
  });

  it('stores an append once if the reply of the store is lost', async () => {
    const store = await open();
    let isLost = false;
    const lost = storeUnavailable('the answer was lost', 'unknown');
    const losing = <T>(answer: Answer<T, StoreError>): Answer<T, StoreError> => {
      isLost = !isLost;
      const none = (): Result<T, StoreError> => err(lost);
      return isLost ? new ResultAsync(Promise.resolve(answer).then(none)) : answer;
    };
    const flaky = storeOn(
      changed(store, {
        begin: (commit) => losing(store.begin(commit)),
        use: (commit) => losing(store.change(commit)),
      }),
    );
    const title = { type: 'custom-title', customTitle: 'Tax' };
    for (const uuid of ['u1', 'u2', 'u3', 'u4']) await flaky.append(main, [title, line(uuid)]);
    expect(await flaky.load(main)).toEqual(
      lines('u1', 'u2', 'u3', 'u4').flatMap((each) => [title, each]),
    );
  });
});
