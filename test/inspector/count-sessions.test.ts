import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import { misconfigured, type StoreError, storeUnavailable } from '../../src/session/errors.js';
import { ada, okOf, startedIn } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';
import { openInspector as open } from './open-inspector.js';

describe("the inspector's session counts", () => {
  test('count the sessions of each filter within the days and labels of a search', async () => {
    const { ask, sessions } = open();
    await startedIn(sessions);
    await okOf(sessions.create({ ...ada, labels: { user: 'u-1' } }));
    const counted = async (query: string) =>
      JSON.parse((await ask('GET', `/inspector/counts${query}`)).body ?? '');
    const totals = (...all: readonly number[]) => ({
      counts: ['', 'IDLE', 'ACTIVE', 'PAUSED', 'TERMINATED'].map((status, at) => ({
        status,
        total: all[at],
      })),
    });
    expect(await counted('')).toEqual(totals(2, 1, 1, 0, 0));
    expect(await counted('?labels=user:u-1')).toEqual(totals(1, 1, 0, 0, 0));
    expect(await counted('?created_before=2001-01-01T00:00:00Z')).toEqual(totals(0, 0, 0, 0, 0));
    expect(await counted('?created_before=x')).toMatchObject({ code: 'invalid_input' });
  });

  test('fall back to all sessions, with the error, if a store cannot list by status', async () => {
    const store = new MemorySessionStore();
    const counted = async (error: StoreError) => {
      const { ask, told } = open(
        {},
        {
          store: changed(store, {
            page: (tenant, range) =>
              range.status === undefined ? store.page(tenant, range) : err(error),
          }),
        },
      );
      const { body = '' } = await ask('GET', '/inspector/counts');
      expect(told).toEqual([]);
      return JSON.parse(body);
    };
    const counts = [{ status: '', total: 0 }];
    expect(await counted(misconfigured('no such lists'))).toEqual({
      counts,
      notice: expect.stringContaining('cannot list by status'),
    });
    expect(await counted(storeUnavailable('gone', 'not_applied'))).toEqual({ counts });
  });
});
