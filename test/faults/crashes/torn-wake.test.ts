import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ada } from '../../support/sessions.js';
import { effort } from '../support/effort.js';
import { logIn, onCutCopy, openOn } from './kept-log.js';

/** Crashes inside a wake, makes another write, crashes again, and repeats the wake. */
const claimedAfterCut = (base: string, id: string, size: number) =>
  onCutCopy(base, size, async (dir) => {
    const first = await openOn(dir);
    await first.sessions.forTenant('other').orThrow.create(ada);
    await first.crash();
    const second = await openOn(dir);
    await second.sessions.orThrow.wake(id);
    // Of all tenants, because a claim of one tenant need not know which tenants wait.
    const { claimed } = await second.sessions.orThrow.claimAny({ holder: 'worker', seconds: 60 });
    await second.crash();
    return claimed.map(({ session }) => session.id);
  });

describeWithRedis('a Redis log torn within a wake', () => {
  test('hides no session from workers of all tenants once the wake is repeated', async () => {
    const base = await mkdtemp(join(tmpdir(), 'colloquy-wake-'));
    const { sessions, crash } = await openOn(base);
    const { id } = await sessions.orThrow.create({ ...ada, start: true });
    const from = (await stat(await logIn(base))).size;
    await sessions.orThrow.wake(id);
    const to = (await stat(await logIn(base))).size;
    await crash();
    for (let size = from; size < to; size += effort(29, 3))
      expect([size - from, await claimedAfterCut(base, id, size)]).toEqual([size - from, [id]]);
    await rm(base, { recursive: true, force: true });
  });
});
