import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Turns } from '../../../adapters/lanes/turns.js';

interface Item {
  readonly tenant: string;
  readonly key: string | undefined;
  readonly number: number;
}

const step = fc.oneof(
  fc.record({
    tenant: fc.constantFrom('a', 'b', 'c'),
    key: fc.constantFrom(undefined, 'x', 'y'),
  }),
  fc.constantFrom('take', 'release'),
);

test('waiting items are taken exactly once and in the order of their key, but not while the key is held', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100 }), (steps) => {
      const turns = new Turns<Item>();
      const taken: { line: string; number: number }[] = [];
      const groups: Item[][] = [];
      let added = 0;
      const held = () => groups.flat().filter(({ key }) => key !== undefined);
      const takeGroup = () => {
        const group: Item[] = [];
        for (let item = turns.take(() => true); item; item = turns.take(() => true)) {
          const { tenant, key } = item;
          const isHeld = held().some((each) => each.tenant === tenant && each.key === key);
          expect(isHeld).toBe(false);
          group.push(item);
          taken.push({ line: `${tenant}/${key}`, number: item.number });
          if (group.length === 3) break;
        }
        turns.hold(group);
        return group;
      };
      for (const each of steps) {
        if (each === 'take') groups.push(takeGroup());
        else if (each === 'release') turns.release(groups.shift() ?? []);
        else {
          turns.add({ ...each, number: added });
          added += 1;
        }
      }
      while (turns.size > 0 || groups.length > 0) {
        turns.release(groups.shift() ?? []);
        const group = takeGroup();
        if (group.length > 0) groups.push(group);
      }
      expect(taken).toHaveLength(added);
      for (const line of new Set(taken.map((each) => each.line))) {
        const numbers = taken.filter((each) => each.line === line).map(({ number }) => number);
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
      }
    }),
  );
});

test('tenants take turns, and so do the keys of a tenant', () => {
  const turns = new Turns<{ tenant: string; key?: string; name: string }>();
  const add = (tenant: string, ...names: string[]) => {
    for (const name of names) turns.add({ tenant, key: name.slice(0, 1), name });
  };
  add('acme', 'a1', 'a2', 'a3', 'b1', 'b2');
  add('globex', 'c1', 'c2');
  const names: string[] = [];
  const take = () => turns.take(() => true);
  for (let item = take(); item; item = take()) names.push(item.name);
  expect(names).toEqual(['a1', 'c1', 'b1', 'c2', 'a2', 'b2', 'a3']);
});

test('an item that does not fit comes next, and keeps its turn', () => {
  const turns = new Turns<{ tenant: string }>();
  const [first, second] = [{ tenant: 'acme' }, { tenant: 'globex' }];
  turns.add(first);
  turns.add(second);
  expect(turns.take(() => false)).toBeUndefined();
  expect([turns.take(() => true), turns.take(() => true)]).toEqual([first, second]);
});

test('a held key blocks no other key and no other tenant', () => {
  const turns = new Turns<{ tenant: string; key: string }>();
  const item = (tenant: string, key: string) => ({ tenant, key });
  const [held, more] = [item('acme', 'x'), item('acme', 'x')];
  turns.add(held);
  turns.add(more);
  expect(turns.take(() => true)).toBe(held);
  turns.hold([held]);
  const others = [item('acme', 'y'), item('globex', 'x')];
  for (const other of others) turns.add(other);
  expect([turns.take(() => true), turns.take(() => true)]).toEqual(others);
  expect(turns.take(() => true)).toBeUndefined();
  turns.release([held]);
  expect(turns.take(() => true)).toBe(more);
});
