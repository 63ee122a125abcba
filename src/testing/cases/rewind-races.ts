import { expectEqual } from '../expect-equal.js';
import { key } from '../history-steps.js';
import { race } from '../race.js';
import { appendTo, expectHistory, rewind } from '../rewind-steps.js';
import { upTo } from '../samples.js';
import { append, insertActive, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';

export const rewindRaces: readonly StoreCase[] = [
  {
    name: 'rewinds: of 50 rewinds at one position, one is made',
    run: async (store, second) => {
      await insertActive(store, key);
      const first = await append(store, key, ['one']);
      const ifPosition = await append(store, key, ['two']);
      const outcomes = await race(
        store,
        second,
        async (each, writer) =>
          (await appendTo(each, [`${writer}`], { after: first, ifPosition })).outcome,
      );
      expectEqual(
        outcomes.filter((outcome) => outcome === 'appended').length,
        1,
        'rewinds that were made',
      );
      expectEqual((await said(store, key))?.length, 2, 'the number of entries');
    },
  },
  {
    name: 'rewinds: among 50 appends and rewinds at once, each comes whole and in the order of the positions',
    run: async (store, second) => {
      await insertActive(store, key);
      const base = await append(store, key, ['base']);
      const positions = await race(store, second, async (each, writer) => {
        const contents = [`${writer} a`, `${writer} b`];
        return writer % 3 === 0 ? rewind(each, base, contents) : append(each, key, contents);
      });
      let expected = ['base'];
      for (const writer of upTo(positions.length).toSorted(
        (a, b) => (positions[a] ?? 0) - (positions[b] ?? 0),
      )) {
        if (writer % 3 === 0) expected = ['base'];
        expected.push(`${writer} a`, `${writer} b`);
      }
      await expectHistory(store, expected, Math.max(...positions));
    },
  },
];
