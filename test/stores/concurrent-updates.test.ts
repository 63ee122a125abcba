import { expect, test } from 'vitest';
import { SessionService } from '../../src/index.js';
import { describeStores } from '../support/describe-stores.js';
import { ManualClock } from '../support/manual-clock.js';
import { ada, okOf } from '../support/sessions.js';

describeStores('concurrent updates', (open) => {
  test('of forty callers in two processes are all applied', async () => {
    const store = await open();
    // The clock stands still: a slow machine fails no race.
    const clock = new ManualClock();
    const processes = [1, 2].map(() => new SessionService({ store, clock }));
    const { id } = await okOf(new SessionService({ store, clock }).create({ ...ada }));
    const names = Array.from({ length: 20 }, (_, at) => `n${at}`);
    const updates = processes.flatMap((sessions, process) =>
      names.map((name) => sessions.update(id, { metadata: { [`${name}-${process}`]: true } })),
    );
    for (const updated of await Promise.all(updates)) expect(updated.isOk()).toBe(true);
    const [sessions] = processes;
    const read = sessions && (await okOf(sessions.get(id)));
    expect(Object.keys(read?.metadata ?? {})).toHaveLength(40);
  });
});
