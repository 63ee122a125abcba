import { expect, test } from 'vitest';
import { ada, okOf } from '../support/sessions.js';
import { serve } from './served.js';

const started = async (options: Parameters<typeof serve>[0] = {}) => {
  const served = await serve(options);
  const { id } = await okOf(served.sessions.create({ ...ada, start: true }));
  return { ...served, id };
};

test('await using releases a lease at the end of the block', async () => {
  const { client, sessions, id } = await started();
  {
    await using lease = (
      await client.lease(id, { holder: 'worker-1', seconds: 60 })
    )._unsafeUnwrap();
    expect(await okOf(sessions.get(id))).toMatchObject({
      lease: { fencingToken: lease.fencingToken },
    });
    expect(structuredClone(lease)).toStrictEqual(lease);
    expect(Reflect.ownKeys({ ...lease })).toEqual(['holder', 'fencingToken', 'until']);
  }
  expect(await okOf(sessions.get(id))).not.toHaveProperty('lease');
});

test('await using accepts a lease that is lost', async () => {
  const { client, clock, sessions, id } = await started();
  {
    await using _lost = (
      await client.lease(id, { holder: 'worker-1', seconds: 1 })
    )._unsafeUnwrap();
    clock.pass(1000);
    await okOf(sessions.lease(id, { holder: 'worker-2', seconds: 60 }));
  }
  expect(await okOf(sessions.get(id))).toMatchObject({ lease: { holder: 'worker-2' } });
});

test('await using of a watch ends a loop that waits for its next item', async () => {
  const { client, id } = await started();
  const items: string[] = [];
  const follow = async (watch: ReturnType<typeof client.watch>): Promise<string> => {
    for await (const item of watch) items.push(item._unsafeUnwrap().type);
    return 'over';
  };
  const following: Promise<string>[] = [];
  {
    await using watch = client.watch(id);
    following.push(follow(watch));
    await expect.poll(() => items).toEqual(['session.snapshot']);
  }
  expect(await Promise.all(following)).toEqual(['over']);
});

test('a disposed watch yields nothing', async () => {
  const { client, id } = await started();
  const watch = client.watch(id);
  await watch[Symbol.asyncDispose]();
  for await (const item of watch) expect(item).toBe('nothing');
  await using refused = client.watch('');
  for await (const item of refused)
    expect(item._unsafeUnwrapErr()).toMatchObject({ type: 'invalid_input' });
});
