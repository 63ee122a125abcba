import { InMemorySessionStore, type SessionStoreEntry } from '@anthropic-ai/claude-agent-sdk';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { TranscriptStore } from '../../../adapters/claude-agent/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { SessionService } from '../../../src/service/session-service.js';

const keys = [
  { projectKey: 'p', sessionId: 's' },
  { projectKey: 'p', sessionId: 's', subpath: 'subagents/agent-a' },
  { projectKey: 'p', sessionId: 's', subpath: 'subagents/agent-b' },
  { projectKey: 'p', sessionId: 't' },
  { projectKey: 'q', sessionId: 's' },
] as const;

const key = fc.constantFrom(...keys);
const line = fc.constantFrom<SessionStoreEntry>(
  ...['u1', 'u2', 'u3', 'u4', 'u5'].map((uuid) => ({ type: 'user', uuid })),
  { type: 'custom-title' },
);
const step = fc.record({
  key,
  process: fc.constantFrom(0, 1, 2),
  lines: fc.option(fc.array(line, { maxLength: 4 }), { freq: 4 }),
});

/** The store of the SDK, which leaves it to others to have each uuid once. */
class Expected extends InMemorySessionStore {
  override async append(to: (typeof keys)[number], lines: SessionStoreEntry[]): Promise<void> {
    const known = new Set((await this.load(to))?.map(({ uuid }) => uuid));
    for (const each of lines) {
      if (each.uuid === undefined || !known.has(each.uuid)) await super.append(to, [each]);
      known.add(each.uuid);
    }
  }
}

it("transcripts match the SDK's own store after any appends and deletions by several processes", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const sessions = new SessionService({ store: new MemorySessionStore() });
      const processes = [0, 1, 2].map(() => new TranscriptStore(sessions));
      const expected = new Expected();
      for (const { key: to, process, lines } of steps) {
        for (const store of [processes[process], expected])
          await (lines ? store?.append(to, lines) : store?.delete(to));
      }
      const [store = expected] = processes;
      for (const each of keys) {
        expect(await store.load(each)).toEqual(await expected.load(each));
        expect((await store.listSubkeys(each)).sort()).toEqual(
          (await expected.listSubkeys(each)).sort(),
        );
      }
      const idsOf = async (
        of: { listSessions: InMemorySessionStore['listSessions'] },
        project: string,
      ) => (await of.listSessions(project)).map(({ sessionId }) => sessionId).sort();
      for (const project of ['p', 'q'])
        expect(await idsOf(store, project)).toEqual(await idsOf(expected, project));
    }),
  );
});
