import { describe, expect, it } from 'vitest';
import { PostgresSessionStore } from '../../../adapters/postgres/index.js';
import { MAX_RACES } from '../../../src/session/limits.js';
import { appendOf } from '../../../src/testing/commits.js';

const key = { tenant: 'acme', id: 'one' };

/**
 * A store on a server that answers its changes and reads with an error, and goes on unless it
 * `isGone`.
 */
const storeOn = (error: object, isGone = false) => {
  const asked: string[] = [];
  const query = async (text: string) => {
    // The settings of the deployment.
    if (text.includes('.meta')) return { rows: [] };
    asked.push(text);
    if (isGone && asked.length > 1) throw new Error('Connection terminated unexpectedly');
    if (text === 'SELECT 1') return { rows: [] };
    throw Object.assign(new Error('from the server'), error);
  };
  const closed: unknown[] = [];
  const client = { query, release: (destroy: unknown) => asked.length > 0 && closed.push(destroy) };
  return {
    store: new PostgresSessionStore({ pool: { connect: async () => client } }),
    asked,
    closed,
  };
};

const outcomeOf = async (error: object, isGone = false) => {
  const { store, closed } = storeOn(error, isGone);
  const appended = await store.change(appendOf(key, ['hello']));
  return { outcome: appended._unsafeUnwrapErr(), closed };
};

describe('an error from PostgreSQL or a pooler', () => {
  it.each([
    ['08006', 'a pooler has lost the server'],
    ['08P01', 'a pooler has lost the server'],
    ['57P01', 'an administrator ends the connection'],
    ['57P02', 'the server crashes'],
    ['58030', 'a file cannot be written'],
    ['58P01', 'a file is missing'],
    ['XX000', 'the server has a fault'],
    ['XX001', 'the data is damaged'],
    ['25P03', 'the connection was idle for too long'],
    ['25P04', 'the transaction took too long'],
    ['40003', 'the server does not know'],
  ])('leaves a write unknown, and closes its connection: %s, %s', async (code) => {
    const { outcome, closed } = await outcomeOf({ code, severity: 'ERROR' });
    expect(outcome).toMatchObject({ type: 'store_unavailable', outcome: 'unknown' });
    expect(closed).toEqual([true]);
  });

  it.each(['ERROR', 'FEHLER', 'エラー', undefined])(
    'is recognised by its SQLSTATE, whatever its language: %s',
    async (severity) => {
      const { outcome, closed } = await outcomeOf({ code: '25006', severity });
      expect(outcome).toMatchObject({
        outcome: 'not_applied',
        message: 'the database is read-only',
      });
      expect(closed).toEqual([false]);
    },
  );

  it.each(['40001', '40P01'])(
    'causes a retry if other transactions interfered: %s',
    async (code) => {
      const { store, asked } = storeOn({ code, severity: 'FEHLER' });
      const appended = await store.change(appendOf(key, ['hello']));
      const found = await store.find(key);
      for (const each of [appended, found]) {
        expect(each._unsafeUnwrapErr()).toMatchObject({
          outcome: 'not_applied',
          message: 'other transactions were in the way',
        });
      }
      expect(asked).toHaveLength(2 * MAX_RACES);
    },
  );

  it.each(['53100', '42501'])(
    'leaves a write unknown if the server disappears after it: %s',
    async (code) => {
      const { outcome, closed } = await outcomeOf({ code, severity: 'PANIK' }, true);
      expect(outcome).toMatchObject({ outcome: 'unknown' });
      expect(closed).toEqual([true]);
    },
  );

  it('is not recognised by a Node error code', async () => {
    expect((await outcomeOf({ code: 'EPIPE' })).outcome).toMatchObject({ outcome: 'unknown' });
  });
});

describe('a missing right or a wrong PostgreSQL setting', () => {
  it.each(['42501'])('fails a write with misconfigured: %s', async (code) => {
    expect((await outcomeOf({ code })).outcome).toMatchObject({ type: 'misconfigured' });
  });

  it.each(['28000', '28P01', '3D000'])(
    'fails a connection with misconfigured: %s',
    async (code) => {
      const connect = () => Promise.reject(Object.assign(new Error('from the server'), { code }));
      const found = await new PostgresSessionStore({ pool: { connect } }).find(key);
      expect(found._unsafeUnwrapErr()).toMatchObject({ type: 'misconfigured' });
    },
  );
});
