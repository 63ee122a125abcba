import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Reservation, TenantQuota } from '../../src/http/tenant-quota.js';

describe('a TenantQuota', () => {
  test('serialises large answers one after another, and small ones concurrently', async () => {
    const quota = new TenantQuota(2 ** 30);
    const written: string[] = [];
    const write = async (name: string, bytes: number): Promise<void> => {
      const { admit, waitToWrite } = quota.reserve('acme');
      admit(bytes);
      await waitToWrite();
      written.push(name);
    };
    const all = [
      write('one', 2 ** 20),
      write('two', 2 ** 20),
      write('small', 100),
      write('three', 2 ** 20),
    ];
    const seen = [[...written]];
    for (let turn = 0; turn < 3; turn += 1) {
      await nextTurn();
      seen.push([...written]);
    }
    await Promise.all(all);
    expect(written).toEqual(['small', 'one', 'two', 'three']);
    expect(new Set(seen.map(({ length }) => length)).size).toBeGreaterThan(2);
  });

  test('admits what fits, rejects what does not, and has room again after a release', () => {
    const quota = new TenantQuota(100);
    const [one, two, three] = [quota.reserve('acme'), quota.reserve('acme'), quota.reserve('acme')];
    expect([one.admit(30), two.admit(20), three.admit(1)]).toEqual([true, true, false]);
    expect(quota.isSpent('acme')).toBe(true);
    two.release();
    expect(quota.isSpent('acme')).toBe(false);
    expect([three.admit(21), three.admit(20)]).toEqual([false, true]);
  });

  test('reserves half of itself for other tenants', () => {
    const quota = new TenantQuota(100);
    expect(quota.reserve('acme').admit(50)).toBe(true);
    expect(quota.reserve('acme').admit(1)).toBe(false);
    expect(quota.isSpent('globex')).toBe(false);
    expect(quota.reserve('globex').admit(50)).toBe(true);
    expect(quota.isSpent('initech')).toBe(true);
    expect(quota.reserve('initech').admit(1)).toBe(false);
  });

  test('admits one answer larger than itself per tenant, and then answers of other tenants', () => {
    const quota = new TenantQuota(100);
    const large = quota.reserve('acme');
    expect(large.admit(5000)).toBe(true);
    expect(quota.isSpent('acme')).toBe(true);
    expect(quota.reserve('globex').admit(50)).toBe(true);
    large.release();
    const small = quota.reserve('acme');
    expect(small.admit(1)).toBe(true);
    expect(quota.reserve('acme').admit(5000)).toBe(false);
  });

  test('starts with a small reservation, and with less if room is short', () => {
    const quota = new TenantQuota(64 * 2 ** 20);
    expect(quota.reserve('acme').first()).toBe(65_536);
    quota.reserve('acme').admit(24 * 2 ** 20);
    expect(quota.reserve('acme').first()).toBeLessThan(32 * 1024);
    expect(new TenantQuota(10).reserve('acme').first()).toBe(1);
  });

  test('raises a reservation, and returns what an answer does not need', () => {
    const quota = new TenantQuota(100);
    const one = quota.reserve('acme');
    expect([one.admit(30), one.admit(10), one.admit(45)]).toEqual([true, true, true]);
    expect(quota.reserve('acme').admit(6)).toBe(false);
    one.settle(20, 60);
    expect(quota.reserve('acme').admit(6)).toBe(false);
    one.settle(10, 20);
    expect([quota.reserve('acme').admit(31), quota.reserve('acme').admit(30)]).toEqual([
      false,
      true,
    ]);
    one.release();
    one.settle(0, 0);
    expect([quota.reserve('acme').admit(21), quota.reserve('acme').admit(20)]).toEqual([
      false,
      true,
    ]);
  });

  test('counts an answer that is larger than its reservation, up to the limit of the tenant', () => {
    const quota = new TenantQuota(100);
    const one = quota.reserve('acme');
    one.settle(40, 120);
    expect([quota.reserve('acme').admit(11), quota.reserve('acme').admit(10)]).toEqual([
      false,
      true,
    ]);
    quota.reserve('globex').settle(5000, 5000);
    expect(quota.isSpent('globex')).toBe(true);
    one.release();
    expect(quota.isSpent('acme')).toBe(false);
  });

  test('treats a repeated release as one, and admits nothing after it', () => {
    const quota = new TenantQuota(100);
    const held = quota.reserve('acme');
    expect(held.admit(40)).toBe(true);
    const released = quota.reserve('acme');
    expect(released.admit(10)).toBe(true);
    released.release();
    released.release();
    expect(released.admit(1)).toBe(false);
    expect([quota.reserve('acme').admit(11), quota.reserve('acme').admit(10)]).toEqual([
      false,
      true,
    ]);
  });

  test('never exceeds its limit except for one large answer per tenant, and leaks nothing', () => {
    const step = fc.record({
      tenant: fc.constantFrom('a', 'b', 'c'),
      bytes: fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 1000 })),
      gives: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const quota = new TenantQuota(100);
        const held: {
          readonly tenant: string;
          readonly bytes: number;
          readonly reservation: Reservation;
        }[] = [];
        for (const { tenant, bytes, gives } of steps) {
          if (gives) {
            held.shift()?.reservation.release();
            continue;
          }
          const reservation = quota.reserve(tenant);
          const others = held.filter((each) => each.tenant === tenant);
          if (!reservation.admit(bytes)) continue;
          if (bytes > 50) expect(others.filter((each) => each.bytes > 0)).toEqual([]);
          held.push({ tenant, bytes, reservation });
          const counted = held.map((each) => Math.min(each.bytes, 50));
          expect(counted.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(100);
        }
        for (const { reservation } of held) reservation.release();
        expect([quota.reserve('a').admit(50), quota.reserve('b').admit(50)]).toEqual([true, true]);
      }),
      { numRuns: 500 },
    );
  });
});
