import { err, ok, ResultAsync } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { chain, settled } from '../src/answer.js';
import type { Answer } from '../src/store.js';

const double = (value: number) => ok(value * 2);

describe('chain', () => {
  test('goes on at once where the answer is there', () => {
    expect(chain(ok(2), double)).toEqual(ok(4));
    expect(chain(err('no'), double)).toEqual(err('no'));
  });

  test.for<[string, () => Answer<number, string>]>([
    ['a promise', async () => ok(2)],
    ['a ResultAsync', () => new ResultAsync(Promise.resolve(ok(2)))],
  ])('goes on later where the answer comes later, by %s', async ([, make]) => {
    const answer = chain(make(), double);
    expect('then' in answer).toBe(true);
    expect(await answer).toEqual(ok(4));
  });

  test('does not go on after an error', async () => {
    let went = false;
    const next = () => {
      went = true;
      return ok(1);
    };
    expect(
      await chain(
        ResultAsync.fromSafePromise(Promise.resolve(1)).andThen(() => err('no')),
        next,
      ),
    ).toEqual(err('no'));
    expect(went).toBe(false);
  });

  test('mixes answers of now and of later', async () => {
    const answer = chain(ok(1), (one) => chain(new ResultAsync(Promise.resolve(ok(one + 1))), double));
    expect(await answer).toEqual(ok(4));
  });
});

describe('settled', () => {
  test.for<[string, () => Answer<number, string>]>([
    ['at once', () => ok(1)],
    ['later', async () => ok(1)],
  ])('hands on what is answered %s', async ([, operation]) => {
    const result = settled(operation);
    expect(result).toBeInstanceOf(ResultAsync);
    expect(await result).toEqual(ok(1));
  });

  test('hands on errors as they are', async () => {
    expect(await settled(() => err('no'))).toEqual(err('no'));
    expect(await settled(async () => err('no'))).toEqual(err('no'));
  });

  test('makes an error of what throws or rejects', async () => {
    const cause = new Error('broken');
    const expected = { type: 'store_unavailable', outcome: 'unknown', cause };
    const throwing = settled(() => {
      throw cause;
    });
    expect((await throwing)._unsafeUnwrapErr()).toMatchObject(expected);
    const rejecting = settled((): Answer<number, string> => Promise.reject(cause));
    expect((await rejecting)._unsafeUnwrapErr()).toMatchObject(expected);
  });
});
