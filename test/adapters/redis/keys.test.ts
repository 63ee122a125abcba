import { describe, expect, test } from 'vitest';
import { Keyspace } from '../../../adapters/redis/keys.js';

const acme = { tenant: 'acme', id: 'a b' };

describe('the keys of a session', () => {
  const keyspace = new Keyspace('app', 1);

  // Once written they are what is looked for: another layout would lose every session.
  test('are these', () => {
    expect(keyspace.of(acme)).toEqual({
      record: 'app:{0}:record:acme:a%0020b',
      journal: 'app:{0}:journal:acme:a%0020b',
      names: 'app:{0}:names:acme:a%0020b',
      index: 'app:{0}:index:acme',
      deadlines: 'app:{0}:deadlines:acme',
      tenants: 'app:{0}:tenants',
      removals: 'app:{0}:removals',
      events: 'app:{0}:events',
      member: 'a%0020b',
      owner: 'acme',
      path: 'acme:a%0020b',
    });
  });

  // The test vectors of FNV-1a, 32 bits.
  test.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of the tenant %j are in the partition that its hash says', (tenant, hash) => {
    expect(new Keyspace('app', 2 ** 32).tenant(tenant).index).toBe(`app:{${hash}}:index:${tenant}`);
    expect(new Keyspace('app', 64).of({ tenant, id: 'x' }).deadlines).toBe(`app:{${hash % 64}}:deadlines:${tenant}`);
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
