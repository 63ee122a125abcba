import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { atEndOfTurn } from '../../../adapters/lanes/end-of-turn.js';
import { Lane, type LaneOptions } from '../../../adapters/lanes/lane.js';

const tenant = 'acme';
const one = { tenant, bytes: 1 };
const wide = { groups: 1, calls: 100, bytes: 1000 };

/**
 * A lane of texts, the groups that have left it, and a function that answers the first open group.
 */
const openLane = (limits: Partial<Omit<LaneOptions<string, string>, 'make'>> = {}) => {
  const groups: (readonly string[])[] = [];
  const open: (() => void)[] = [];
  const lane = new Lane<string, string>({
    ...wide,
    ...limits,
    make: (calls) => {
      groups.push(calls);
      return new Promise((resolve) => {
        open.push(() => resolve(calls.map((call) => `${call} made`)));
      });
    },
  });
  const answer = async () => {
    open.shift()?.();
    // The answer arrives in the first turn, and the next group leaves in the second.
    await nextTurn();
    await nextTurn();
  };
  return { lane, groups, answer };
};

const nameIn = (user: AsyncLocalStorage<string>) => (call: string) =>
  `${call} for ${user.getStore() ?? 'nobody'}`;

describe('a lane', () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  it('sends a single call at the end of its turn, without a timer', async () => {
    vi.useFakeTimers();
    const { lane, groups, answer } = openLane();
    const call = lane.run('a', one);
    await nextTurn();
    expect(groups).toEqual([['a']]);
    expect(vi.getTimerCount()).toBe(0);
    await answer();
    expect(await call).toBe('a made');
  });

  it('sends calls of one turn together, including those made in promises', async () => {
    const { lane, groups } = openLane();
    void lane.run('a', one);
    void Promise.resolve().then(() => lane.run('b', one));
    process.nextTick(() => lane.run('c', one));
    await nextTurn();
    expect(groups).toHaveLength(1);
    expect(groups[0]?.toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('sends calls that arrive during a group together, after that group', async () => {
    const { lane, groups, answer } = openLane();
    for (const call of ['a', 'b', 'c']) {
      void lane.run(call, one);
      await nextTurn();
    }
    expect(groups).toEqual([['a']]);
    await answer();
    expect(groups).toEqual([['a'], ['b', 'c']]);
  });

  it('runs as many groups concurrently as its option says', async () => {
    const { lane, groups, answer } = openLane({ groups: 2 });
    for (const call of ['a', 'b', 'c', 'd']) {
      void lane.run(call, one);
      await nextTurn();
    }
    expect(groups).toEqual([['a'], ['b']]);
    await answer();
    expect(groups).toEqual([['a'], ['b'], ['c', 'd']]);
  });

  it.each([
    ['calls', { calls: 2 }, [1, 1, 1, 1, 1], [2, 2, 1]],
    ['bytes', { bytes: 10 }, [4, 4, 4, 1, 10, 1], [2, 2, 1, 1]],
    ['bytes, up to the last of them', { bytes: 10 }, [5, 5, 1], [2, 1]],
    ['bytes, of which a call may ask for all', {}, [1, Number.POSITIVE_INFINITY, 1, 1], [1, 1, 2]],
    ['bytes, but one call may have more', { bytes: 10 }, [4, 11, 99, 1], [1, 1, 1, 1]],
  ])('limits each group to its %s, in order of arrival', async (_, limits, sizes, expected) => {
    const { lane, groups, answer } = openLane(limits);
    const calls = sizes.map((bytes, at) => lane.run(`${at}`, { tenant, bytes }));
    await nextTurn();
    for (const _each of expected) await answer();
    expect(await Promise.all(calls)).toEqual(sizes.map((_size, at) => `${at} made`));
    expect(groups.map(({ length }) => length)).toEqual(expected);
    expect(groups.flat()).toEqual(sizes.map((_size, at) => `${at}`));
  });

  it('lets other work of the process run between two groups', async () => {
    const order: string[] = [];
    const lane = new Lane<string, string>({
      ...wide,
      calls: 1,
      make: (calls) => {
        order.push(...calls);
        setImmediate(() => order.push('other work'));
        return calls;
      },
    });
    await Promise.all(['a', 'b', 'c'].map((call) => lane.run(call, one)));
    expect(order.slice(0, 5)).toEqual(['a', 'other work', 'b', 'other work', 'c']);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('broken');
      },
    ],
    ['rejects', () => Promise.reject(new Error('broken'))],
  ])('settles every call of a group that %s, and continues', async (_, breaks) => {
    let isBroken = true;
    const make = (calls: readonly string[]) => (isBroken ? breaks() : calls);
    const lane = new Lane<string, string>({ ...wide, make });
    const settled = await Promise.allSettled([lane.run('a', one), lane.run('b', one)]);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    isBroken = false;
    expect(await lane.run('c', one)).toBe('c');
  });

  it('runs calls with the same key in order, whichever other calls are dropped in between', async () => {
    const { lane, groups, answer } = openLane({ groups: 3 });
    const calls = ['a1', 'a2', 'b1'].map((call) => lane.run(call, { ...one, key: call[0] }));
    await nextTurn();
    for (const call of ['a3', 'c1', 'a4', 'b2', 'd1']) {
      calls.push(lane.run(call, { ...one, key: call[0] }));
      await nextTurn();
    }
    expect(groups).toEqual([['a1', 'b1', 'a2'], ['c1'], ['d1']]);
    await answer();
    expect(groups.slice(3)).toEqual([['a3', 'b2', 'a4']]);
    for (const _each of groups) await answer();
    expect(await Promise.all(calls)).toHaveLength(8);
  });

  it('runs calls with the same key in order behind a full group', async () => {
    const { lane, groups, answer } = openLane({ groups: 2, calls: 1 });
    for (const call of ['a1', 'a2', 'b1', 'c1', 'a3'])
      void lane.run(call, { ...one, key: call[0] });
    await nextTurn();
    await nextTurn();
    expect(groups).toEqual([['a1'], ['b1']]);
    for (let each = 0; each < 5; each += 1) await answer();
    expect(groups.flat().filter((call) => call.startsWith('a'))).toEqual(['a1', 'a2', 'a3']);
  });

  it("serves tenants in turn, so that a single call never waits for another tenant's backlog", async () => {
    const { lane, groups, answer } = openLane({ calls: 2 });
    const texts = Array.from({ length: 100 }, (_, at) => `acme ${at}`);
    for (const text of texts) void lane.run(text, one);
    await nextTurn();
    void lane.run('globex', { tenant: 'globex', bytes: 1 });
    await answer();
    expect(groups[1]).toContain('globex');
    for (const _each of texts) await answer();
    expect(groups.flat().filter((text) => text !== 'globex')).toEqual(texts);
  });

  it('runs a single call in the async context of its caller', async () => {
    const user = new AsyncLocalStorage<string>();
    const lane = new Lane<string, string>({ ...wide, make: (calls) => calls.map(nameIn(user)) });
    expect(await user.run('ada', () => lane.run('a', one))).toBe('a for ada');
    const first = user.run('ada', () => lane.run('b', one));
    await first;
    expect(await user.run('grace', () => lane.run('c', one))).toBe('c for grace');
  });

  it.each([
    ['at the end of a turn', undefined],
    ['before the turn of others', atEndOfTurn],
  ])("runs a group of several callers in no caller's context, %s", async (_, soon) => {
    const user = new AsyncLocalStorage<string>();
    const makes = { calls: 2, make: (calls: readonly string[]) => calls.map(nameIn(user)) };
    const lane = new Lane<string, string>({ ...wide, ...makes, ...(soon && { soon }) });
    const names = ['ada', 'grace', 'alan', 'edsger'];
    const calls = names.map((name) =>
      user.run(name, async () => [await lane.run('a', one), user.getStore()]),
    );
    expect(await Promise.all(calls)).toEqual(names.map((name) => ['a for nobody', name]));
  });

  it('continues with calls of a key after a group of that key failed', async () => {
    let isBroken = true;
    const make = (calls: readonly string[]) =>
      isBroken ? Promise.reject(new Error('broken')) : calls;
    const lane = new Lane<string, string>({ ...wide, groups: 2, make });
    const broken = Promise.allSettled([lane.run('a1', { ...one, key: 'a' })]);
    await nextTurn();
    const next = lane.run('a2', { ...one, key: 'a' });
    isBroken = false;
    expect(await next).toBe('a2');
    await broken;
  });

  it('settles every call if a group returns too few results', async () => {
    const lane = new Lane<string, string>({ ...wide, make: (calls) => calls.slice(1) });
    const settled = await Promise.allSettled([lane.run('a', one), lane.run('b', one)]);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  });
});
