import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWithRedis } from '../../support/describe-with-redis.js';
import { ada } from '../../support/sessions.js';
import { effort } from '../support/effort.js';
import { logIn, onCutCopy, openOn } from './kept-log.js';

const say = (content: string) => ({ role: 'user', content });

/** Crashes inside a removal, appends if the session is there, crashes again, and reads. */
const afterCut = (base: string, id: string, size: number): Promise<readonly string[]> =>
  onCutCopy(base, size, async (dir) => {
    const first = await openOn(dir);
    const appended = await first.sessions.append(id, [say('two')]);
    await first.crash();
    const second = await openOn(dir);
    const found = await second.sessions.get(id);
    await second.crash();
    const told = found.map(({ history }) => history.map(({ content }) => content).join());
    return [
      appended.isOk() ? 'appended' : appended.error.type,
      told.match(
        (contents) => contents,
        ({ type }) => type,
      ),
    ];
  });

describeWithRedis('a Redis log torn within a removal', () => {
  test('loses no entry that is appended after the crash', async () => {
    const base = await mkdtemp(join(tmpdir(), 'colloquy-removal-'));
    const { sessions, crash } = await openOn(base);
    const { id } = await sessions.orThrow.create({ ...ada, start: true });
    await sessions.orThrow.append(id, [say('one')]);
    const from = (await stat(await logIn(base))).size;
    await sessions.orThrow.delete(id);
    const to = (await stat(await logIn(base))).size;
    await crash();
    for (let size = from; size < to; size += effort(61, 3)) {
      const [appended, told] = await afterCut(base, id, size);
      const expected = appended === 'appended' ? 'one,two' : 'not_found';
      expect([size - from, appended, told]).toEqual([size - from, appended, expected]);
    }
    await rm(base, { recursive: true, force: true });
  });
});
