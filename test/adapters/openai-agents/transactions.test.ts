import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { EngineSession } from '../../../adapters/openai-agents/index.js';
import { SessionService } from '../../../src/index.js';
import { ada, okOf } from '../../support/sessions.js';

const throwing = Object.defineProperty({}, 'x', {
  enumerable: true,
  get: () => {
    throw new Error('secret');
  },
});

const cycle: Record<string, unknown> = {};
cycle['secret'] = cycle;

test.each([
  ['a function', () => 'secret'],
  ['a symbol', Symbol('secret')],
  ['a Map', new Map([['secret', 1]])],
  ['NaN', Number.NaN],
  ['a cycle', cycle],
  ['a getter that throws', throwing],
])(
  'a transaction with %s is rejected with an error that quotes nothing of it',
  async (_, value) => {
    const sessions = new SessionService({ store: new MemorySessionStore() });
    const { id } = await okOf(sessions.create({ ...ada, start: true }));
    const session = new EngineSession(sessions, id);
    const items = [{ role: 'user', content: 'secret', value }];
    for (const transaction of [
      { type: 'append_items' as const, items },
      { type: 'replace_suffix' as const, expectedSuffix: items, replacement: [] },
    ]) {
      const applied = session.applyHistoryTransaction({ operationId: 'turn', transaction });
      const error = await applied.catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(TypeError);
      expect(String(error)).toMatch(/transaction\.(items|expectedSuffix)\[0\] (must|cannot)/);
      expect(String(error)).not.toContain('secret');
      expect(error).not.toHaveProperty('cause');
    }
    expect(await session.getItems()).toEqual([]);
  },
);
