import { copiedFields, object } from '../../src/schema/object.js';
import { readSafely } from '../../src/schema/read-input.js';
import { checked, schema } from '../../src/schema/schema.js';
import { anyText, oneOf } from '../../src/schema/values.js';
import { canonicalJson } from '../../src/session/json.js';
import { sha256 } from '../../src/session/sha256.js';
import { copiedItems as items } from './item-of.js';

/** Appends items, or replaces the last items if they are still the expected items. */
export type HistoryTransaction<Item> =
  | { type: 'append_items'; items: Item[] }
  | { type: 'replace_suffix'; expectedSuffix: Item[]; replacement: Item[] };

/** A transaction, and an id that stays the same when it is sent again. */
export interface HistoryTransactionArgs<Item> {
  /** Not empty. */
  operationId: string;
  /** The change. */
  transaction: HistoryTransaction<Item>;
}

const type = oneOf(['append_items', 'replace_suffix']);
const append = object({ type, items });
const replace = object({ type, expectedSuffix: items, replacement: items });

const transactionOf = schema((issues, path, value) => {
  const given = copiedFields(issues, path, value, `${path}.`);
  if (given['type'] === 'replace_suffix') return replace.read(issues, path, given);
  if (given['type'] === 'append_items') return append.read(issues, path, given);
  return { type: type.read(issues, `${path}.type`, given['type']), items: [] };
});

const operationIdOf = checked(anyText, (id) => id.trim() !== '', 'must not be empty');

/** A later version of the SDK may pass more. */
const argsOf = schema((issues, path, value) => {
  const { operationId, transaction } = copiedFields(issues, path, value);
  return {
    operationId: operationIdOf.read(issues, 'operationId', operationId),
    transaction: transactionOf.read(issues, 'transaction', transaction),
  };
});

/** The `TypeError` has no cause, because a log of the cause could quote an item. */
const read = (args: unknown) =>
  readSafely((issues) => issues.read('args', argsOf, args)).match(
    (given) => given,
    ({ message }) => {
      throw new TypeError(`EngineSession: ${message}`);
    },
  );

/**
 * Parses a transaction. The operation id of a replacement contains a digest of the complete
 * transaction: when it is sent again, its position is no longer known, so the engine could not
 * compare the two. `epoch` distinguishes ids that are used before the history was cleared from the
 * same ids afterwards.
 */
export const parseTransaction = async (args: unknown, epoch: string) => {
  const given = read(args);
  const { transaction } = given;
  const operationId = `${given.operationId}${epoch}`;
  if ('items' in transaction)
    return { operationId: await sha256(operationId), suffix: undefined, items: transaction.items };
  const { expectedSuffix: suffix, replacement: items } = transaction;
  const name = await sha256(`${operationId}\n${canonicalJson(transaction)}`);
  return { operationId: name, suffix, items };
};
