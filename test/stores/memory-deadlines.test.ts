import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { begin, due, put } from '../../src/testing/commits.js';
import { keyOf, live, NOON, upTo } from '../../src/testing/samples.js';
import { randomFrom } from '../support/random.js';

const SESSIONS = 500;

test('a memory store reports each session due once and at its deadline, however often that has changed', async () => {
  const random = randomFrom(1);
  const store = new MemorySessionStore();
  const deadlineOf = () => NOON + Math.floor(random() * 100_000);
  const states = upTo(SESSIONS).map(() => live('ACTIVE', { deadline: deadlineOf() }));
  for (const [at, state] of states.entries()) await begin(store, keyOf(`s${at}`), { state });
  for (let change = 0; change < 20 * SESSIONS; change += 1) {
    const at = Math.floor(random() * SESSIONS);
    const next = live('ACTIVE', {
      revision: (states[at]?.revision ?? 0) + 1,
      deadline: deadlineOf(),
    });
    states[at] = next;
    await put(store, keyOf(`s${at}`), next);
  }
  for (const now of [NOON, NOON + 20_000, NOON + 100_000]) {
    const expected = states.flatMap(({ deadline }, at) =>
      deadline <= now ? [`s${at} ${deadline}`] : [],
    );
    const found = (await due(store, now, 10 * SESSIONS)).map(({ id, dueAt }) => `${id} ${dueAt}`);
    expect(found.toSorted()).toEqual(expected.toSorted());
  }
});
