import { describe, expect, test } from 'vitest';
import { Keyspace, keyOfDue } from '../../../adapters/redis/keys.js';

const acme = { tenant: 'acme', id: 'a b' };

describe('the keys of a session', () => {
  const keyspace = new Keyspace('app', 1);

  // Once written they are what is looked for: another layout would lose every session.
  test('are these, the first time and when they are remembered', () => {
    for (let time = 0; time < 2; time += 1) {
      expect(keyspace.of(acme)).toEqual({
        state: 'app:{0}:state:acme:a%0020b',
        journal: 'app:{0}:journal:acme:a%0020b',
        names: 'app:{0}:names:acme:a%0020b',
        index: 'app:{0}:index:acme',
        deadlines: 'app:{0}:deadlines',
        removals: 'app:{0}:removals',
        events: 'app:{0}:events',
        member: 'a%0020b',
        due: 'acme:a%0020b',
      });
      expect(keyspace.list('a:b')).toEqual({
        index: 'app:{0}:index:a%003ab',
        state: 'app:{0}:state:a%003ab:',
        journal: 'app:{0}:journal:a%003ab:',
      });
    }
    expect(keyspace.of(acme)).toBe(keyspace.of({ ...acme }));
    expect(keyspace.list('acme')).toBe(keyspace.list('acme'));
    expect(keyspace.deadlines(7)).toBe('app:{7}:deadlines');
  });

  test('are each tenant\u2019s own where two have the same id, whoever asks', () => {
    for (const tenant of ['acme', 'globex', 'acme']) {
      expect(keyspace.of({ ...acme, tenant }).due).toBe(`${tenant}:a%0020b`);
    }
  });

  test('are remembered for the last few thousand sessions and tenants, not for all', () => {
    const [session, tenant] = [keyspace.of(acme), keyspace.list('acme')];
    for (let other = 0; other < 5000; other += 1) {
      keyspace.of({ tenant: 'acme', id: `s${other}` });
      keyspace.list(`t${other}`);
    }
    expect(keyspace.of(acme)).not.toBe(session);
    expect(keyspace.of(acme)).toEqual(session);
    expect(keyspace.list('acme')).not.toBe(tenant);
    expect(keyspace.list('acme')).toEqual(tenant);
  });

  // The test vectors of FNV-1a, 32 bits.
  test.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of the tenant %j are in the partition that its hash says', (tenant, hash) => {
    expect(new Keyspace('app', 2 ** 32).list(tenant).index).toBe(`app:{${hash}}:index:${tenant}`);
    expect(new Keyspace('app', 64).of({ tenant, id: 'x' }).deadlines).toBe(`app:{${hash % 64}}:deadlines`);
  });
});

describe('a key that a scan finds', () => {
  const keyspace = new Keyspace('a*b', 3);

  test('says what it is', () => {
    expect(keyspace.parse('a*b:{2}:state:acme:x')).toEqual({ kind: 'state', rest: 'acme:x' });
    expect(keyspace.parse('a*b:{12}:index:acme\n')).toEqual({ kind: 'index', rest: 'acme\n' });
    expect(keyspace.parse('a*b:{0}:deadlines')).toEqual({ kind: 'deadlines', rest: '' });
  });

  test.each([
    'a*b:{x}:state:acme:x',
    'a*b:{}:state:acme:x',
    'a*b:{0x}:state:acme:x',
    'a*b:{x0}:state:acme:x',
    'a*b:{0}',
    'a*b:{0}:',
    'a*b:{0}state:acme:x',
    'a*b:0:state:acme:x',
    'a*bc:{0}:state:acme:x',
    'a*:{0}:state:acme:x',
    'x{0}:state:acme:x',
    'xxxxx0}:state:acme:x',
    '',
  ])('is none of ours: %j', (key) => {
    expect(keyspace.parse(key)).toBeUndefined();
  });

  test('matches a pattern in which nothing of the prefixes is a wildcard', () => {
    expect(keyspace.pattern('k?[x]^\\:')).toBe(String.raw`k\?\[x\]\^\\:a\*b:{*}:*`);
  });
});

describe('a member of the deadlines', () => {
  test('says whose session it is', () => {
    expect(keyOfDue('ac%003ame:a%0020b')).toEqual({ tenant: 'ac:me', id: 'a b' });
  });
});
