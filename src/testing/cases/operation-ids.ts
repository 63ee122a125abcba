import { expectEqual } from '../expect-equal.js';
import { ended, headOf, keyOf, live, NOON, operationOf, say, upTo } from '../samples.js';
import { answerOf, append, insertActive, replace, said } from '../steps.js';
import type { StoreCase } from '../store-case.js';

const key = keyOf('one');

/** Ids that a search by pattern, by prefix or by substring confuses. */
const alike = [
  'op',
  'OP',
  'op1',
  'op-1',
  'op.1',
  'op:1',
  'op~1',
  'op_1',
  '1',
  '10',
  '-',
  '.',
  '~',
  'p',
  ' op',
  'op ',
  'o p',
  'op/1',
  'op%31',
  'op:',
  ':op',
  'start:op',
  'op"',
  "op'",
  'op\\',
  '`op`',
  '{op}',
  '{op,NULL}',
  '(op)',
  '[op]',
  '*',
  '?',
  '$1',
  '--op',
  'NULL',
  '__proto__',
  '\u00E9',
  'e\u0301',
  '\u2028',
  '\uFEFFop',
  '😀',
  'wamid.HBgLMTY1MDM4Nzk0MzkVAgASGBQzQQ==',
  '$143273582443PhrSn:example.org',
  '<CAF+x y/z="1"@mail.example>',
  'o'.repeat(255),
  'o'.repeat(256),
  '世'.repeat(256),
  '😀'.repeat(128),
];

export const operationIds: readonly StoreCase[] = [
  {
    name: 'operationId: a repeated append adds nothing and answers the first position',
    run: async (store) => {
      await insertActive(store, key);
      const first = await append(store, key, ['hello', 'there'], 'op');
      expectEqual(
        await append(store, key, ['hello', 'there'], 'op'),
        first,
        'the position at once',
      );
      expectEqual(
        await append(store, key, ['something else'], 'op'),
        first,
        'the position with other entries',
      );
      expectEqual(await said(store, key), ['hello', 'there'], 'the history');
    },
  },
  {
    name: 'operationId: only a repeated append says that it is repeated',
    run: async (store) => {
      await insertActive(store, key);
      const call = { entries: [say('hello')], now: NOON, operation: operationOf('op') };
      const first = await answerOf(store.append(key, call));
      expectEqual('repeated' in first, false, 'repeated of the first');
      const unnamed = await answerOf(store.append(key, { entries: call.entries, now: NOON }));
      expectEqual(
        'repeated' in unnamed,
        false,
        'repeated of the same entries without an operationId',
      );
      expectEqual(
        await answerOf(store.append(key, call)),
        { ...first, repeated: true },
        'the same append again',
      );
    },
  },
  {
    name: 'operationId: a repeated append is recognised after any number of others',
    run: async (store) => {
      await insertActive(store, key);
      await append(store, key, ['before']);
      const first = await append(store, key, ['hello'], 'op');
      for (const index of upTo(40)) {
        await append(store, key, [`unnamed ${index}`]);
        await append(store, key, [`named ${index}`], `other-${index}`);
      }
      const before = await said(store, key);
      expectEqual(await append(store, key, ['hello'], 'op'), first, 'the position of the first');
      expectEqual(await said(store, key), before, 'the history');
      for (const index of upTo(40)) await append(store, key, ['again'], `other-${index}`);
      expectEqual(await said(store, key), before, 'the history');
    },
  },
  {
    name: 'operationId: a repeated append is recognised after the session has ended',
    run: async (store) => {
      const call = { entries: [say('hello')], operation: operationOf('op') };
      for (const [id, state] of Object.entries({
        over: ended('terminated', { revision: 3 }),
        late: live('ACTIVE', { revision: 3, deadline: NOON + 1 }),
      })) {
        await insertActive(store, keyOf(id));
        const first = await answerOf(store.append(keyOf(id), { ...call, now: NOON }));
        await replace(store, keyOf(id), state);
        const second = await answerOf(store.append(keyOf(id), { ...call, now: NOON + 1000 }));
        expectEqual(second, { ...first, repeated: true }, `the same append to ${id}`);
        const third = await answerOf(
          store.append(keyOf(id), { ...call, now: NOON + 1000, operation: operationOf('new') }),
        );
        expectEqual(third, { outcome: 'closed', state }, `another append to ${id}`);
        expectEqual(await said(store, keyOf(id)), ['hello'], 'the history');
      }
    },
  },
  {
    name: 'operationId: a refused append leaves its operationId free',
    run: async (store) => {
      await insertActive(store, key);
      const state = live('PAUSED', { revision: 3, deadline: NOON + 1 });
      await replace(store, key, state);
      const call = { entries: [say('hello')], operation: operationOf('op') };
      const refused = await answerOf(store.append(key, { ...call, now: NOON + 1 }));
      expectEqual(refused, { outcome: 'closed', state }, 'append at the deadline');
      await append(store, key, ['hello'], 'op');
      await append(store, key, ['hello'], 'op');
      expectEqual(await said(store, key), ['hello'], 'the history');
    },
  },
  {
    name: 'operationId: the same operationId on another session, or of another tenant, is another operation',
    run: async (store) => {
      const keys = [key, keyOf('two'), keyOf('one', 'globex')];
      for (const each of keys) await insertActive(store, each, headOf(each.id));
      for (const each of keys) await append(store, each, [`${each.tenant} ${each.id}`], 'op');
      for (const each of keys) {
        expectEqual(
          await said(store, each),
          [`${each.tenant} ${each.id}`],
          `${each.tenant} ${each.id}`,
        );
      }
    },
  },
  {
    name: 'operationId: ids that look alike are different operations',
    run: async (store) => {
      await insertActive(store, key);
      const positions: number[] = [];
      for (const name of alike) positions.push(await append(store, key, [name], name));
      for (const [index, name] of alike.toReversed().entries()) {
        expectEqual(
          await append(store, key, ['again'], name),
          positions.at(-1 - index),
          `the position of ${name}`,
        );
      }
      expectEqual(await said(store, key), alike, 'the history');
    },
  },
  {
    name: 'operationId: a state keeps the ids of its commands as they are',
    run: async (store) => {
      const revised = (revision: number, ids: readonly string[]) =>
        live('ACTIVE', { revision, operations: ids.map((id) => `start:${id}`) });
      await answerOf(store.insert(key.tenant, headOf('one'), revised(1, alike.slice(0, 30))));
      const first = (await answerOf(store.find(key)))?.state.operations;
      expectEqual(first, revised(1, alike.slice(0, 30)).operations, 'the operations of an insert');
      await replace(store, key, revised(2, alike.slice(-30)));
      const second = (await answerOf(store.find(key)))?.state.operations;
      expectEqual(second, revised(2, alike.slice(-30)).operations, 'those of a replacement');
    },
  },
  {
    name: 'operationId: an id that occurs in a text does not count as an operation',
    run: async (store) => {
      const context = '\n"op",\n"op-2",\n';
      await insertActive(store, key, headOf('one', NOON, { context }));
      const mentions = [
        'op',
        '"op"',
        '"op",',
        '\n"op",\n',
        '{"operationId":"op"}',
        '\top\t',
        ' op ',
        '\0op\0',
      ];
      for (const mention of mentions) {
        const entries = [say(mention), { ...say(mention), role: '"op",' }];
        await answerOf(store.append(key, { entries, now: NOON }));
      }
      await append(store, key, ['hello'], 'op');
      await append(store, key, ['goodbye'], 'op-2');
      const expected = [...mentions.flatMap((mention) => [mention, mention]), 'hello', 'goodbye'];
      expectEqual(await said(store, key), expected, 'the history');
    },
  },
];
