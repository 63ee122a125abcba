import { describe, expect, test } from 'vitest';
import { dueKeyOf, Keyspace, keyOf } from '../../../adapters/redis/keyspace.js';

const acme = { tenant: 'acme', id: 'a b' };

describe('the Redis keys of a session', () => {
  const keyspace = new Keyspace('app', 1);

  // Stored keys are looked up by these names: another layout would lose every session.
  test('have these names', () => {
    expect(keyspace.of(acme)).toEqual({
      ...acme,
      records: 'app:{0}:record:acme:',
      journals: 'app:{0}:journal:acme:',
      byStatus: {
        IDLE: 'app:{0}:idle:acme',
        ACTIVE: 'app:{0}:active:acme',
        PAUSED: 'app:{0}:paused:acme',
        TERMINATED: 'app:{0}:terminated:acme',
      },
      record: 'app:{0}:record:acme:a%0020b',
      journal: 'app:{0}:journal:acme:a%0020b',
      operations: 'app:{0}:operations:acme:a%0020b',
      inbox: 'app:{0}:inbox:acme:a%0020b',
      index: 'app:{0}:index:acme',
      labels: 'app:{0}:label:acme:',
      deadlines: 'app:{0}:deadlines:acme',
      work: 'app:{0}:work:acme',
      waiting: 'app:{0}:waiting',
      tenants: 'app:{0}:tenants',
      partition: 'app:{0}:',
      writes: 'app:{0}:write:',
      events: 'app:{0}:events',
      idKey: 'a%0020b',
      tenantKey: 'acme',
      sessionKey: 'acme:a%0020b',
      isLeft: false,
    });
    expect(keyspace.of({ ...acme, removal: '12' })).toMatchObject({
      record: 'app:{0}:remains:acme:a%0020b:12',
      idKey: 'a%0020b:12',
      sessionKey: 'acme:a%0020b',
      isLeft: true,
    });
    expect(new Keyspace('app', 1).tenant('a:b')).toMatchObject({
      byStatus: {
        IDLE: 'app:{0}:idle:a%003ab',
        ACTIVE: 'app:{0}:active:a%003ab',
        PAUSED: 'app:{0}:paused:a%003ab',
        TERMINATED: 'app:{0}:terminated:a%003ab',
      },
      events: 'app:{0}:events',
      records: 'app:{0}:record:a%003ab:',
      journals: 'app:{0}:journal:a%003ab:',
      index: 'app:{0}:index:a%003ab',
      labels: 'app:{0}:label:a%003ab:',
      deadlines: 'app:{0}:deadlines:a%003ab',
      work: 'app:{0}:work:a%003ab',
      waiting: 'app:{0}:waiting',
      tenants: 'app:{0}:tenants',
      partition: 'app:{0}:',
      writes: 'app:{0}:write:',
      tenantKey: 'a%003ab',
    });
    expect(keyspace.ofPartition(7, 'tenants')).toBe('app:{7}:tenants');
    expect(keyspace.ofPartition(7, 'waiting')).toBe('app:{7}:waiting');
  });

  test('are derived from the keys of its tenant', () => {
    for (const tenant of ['acme', 'ac:me', '{0}']) {
      const session = keyspace.of({ ...acme, tenant });
      const { records, journals, index, labels, work, deadlines } = keyspace.tenant(tenant);
      expect(session).toMatchObject({
        index,
        labels,
        work,
        deadlines,
        record: records + session.idKey,
        journal: journals + session.idKey,
      });
    }
  });

  test('differ between tenants that use the same id', () => {
    for (const tenant of ['acme', 'globex', 'acme']) {
      expect(keyspace.of({ ...acme, tenant }).sessionKey).toBe(`${tenant}:a%0020b`);
    }
  });

  // The test vectors of FNV-1a, 32 bits.
  test.each([
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['foobar', 0xbf9cf968],
  ])('of the tenant %j are in the partition of its FNV-1a hash', (tenant, hash) => {
    expect(new Keyspace('app', 2 ** 32).tenant(tenant).index).toBe(`app:{${hash}}:index:${tenant}`);
    expect(new Keyspace('app', 64).of({ tenant, id: 'x' }).tenants).toBe(
      `app:{${hash % 64}}:tenants`,
    );
  });
});

describe('a Redis key that a scan finds', () => {
  const keyspace = new Keyspace('a*b', 3);

  test('is parsed into its kind and the rest', () => {
    expect(keyspace.parse('a*b:{2}:record:acme:x')).toEqual({ kind: 'record', rest: 'acme:x' });
    expect(keyspace.parse('a*b:{12}:index:acme\n')).toEqual({ kind: 'index', rest: 'acme\n' });
    expect(keyspace.parse('a*b:{0}:tenants')).toEqual({ kind: 'tenants', rest: '' });
  });

  test.each([
    'a*b:{x}:record:acme:x',
    'a*b:{}:record:acme:x',
    'a*b:{0x}:record:acme:x',
    'a*b:{x0}:record:acme:x',
    'a*b:{0}',
    'a*b:{0}:',
    'a*b:{0}state:acme:x',
    'a*b:0:record:acme:x',
    'a*bc:{0}:record:acme:x',
    'a*:{0}:record:acme:x',
    'x{0}:record:acme:x',
    'xxxxx0}:record:acme:x',
    '',
  ])('is ignored if it is foreign: %j', (key) => {
    expect(keyspace.parse(key)).toBeUndefined();
  });

  test('matches a pattern that escapes wildcards in the prefixes', () => {
    expect(keyspace.pattern('k?[x]^\\:')).toBe(String.raw`k\?\[x\]\^\\:a\*b:{*}:*`);
  });
});

describe('a session key in a Redis event', () => {
  test('decodes to the tenant and the id', () => {
    expect(keyOf('ac%003ame:a%0020b')).toEqual({ tenant: 'ac:me', id: 'a b' });
  });
});

describe('a member of the due sessions', () => {
  test('decodes to its session and its removal, if any', () => {
    expect(dueKeyOf('acme', 'a%0020b')).toEqual(acme);
    expect(dueKeyOf('acme', 'a%0020b:12')).toEqual({ ...acme, removal: '12' });
  });
});
