import { isFields } from '../../src/input/parse-fields.js';
import { sha256 } from '../../src/session/sha256.js';
import { canonical } from '../sdk/canonical.js';

/** Appends items, or replaces the last ones if they still are what they are expected to be. */
export type HistoryTransaction<Item> =
  | { type: 'append_items'; items: Item[] }
  | { type: 'replace_suffix'; expectedSuffix: Item[]; replacement: Item[] };

/** A transaction, with a name that is the same whenever it is sent again. */
export interface HistoryTransactionArgs<Item> {
  /** Not empty. */
  operationId: string;
  /** What is to be done. */
  transaction: HistoryTransaction<Item>;
}

const check = (fits: boolean, message: string): void => {
  if (!fits) throw new TypeError(message);
};

/**
 * Reads a transaction. The operation id of a replacement covers all of it: where it went cannot be told any more when it comes
 * again, so the engine could not compare the two.
 */
export const parseTransaction = async <Item>({ operationId, transaction }: HistoryTransactionArgs<Item>) => {
  check(typeof operationId === 'string' && operationId.trim() !== '', 'operationId must be a non-empty string');
  check(isFields(transaction), 'transaction must be an object');
  const names = Object.keys(transaction).sort().join();
  if (transaction.type === 'append_items') {
    check(names === 'items,type' && Array.isArray(transaction.items), 'append transaction fields are invalid');
    return { operationId: await sha256(operationId), suffix: undefined, items: [...transaction.items] };
  }
  check(transaction.type === 'replace_suffix', 'Unsupported session history transaction type');
  const { expectedSuffix, replacement } = transaction;
  const fits = names === 'expectedSuffix,replacement,type' && [expectedSuffix, replacement].every(Array.isArray);
  check(fits, 'suffix transaction fields are invalid');
  const name = await sha256(`${operationId}\n${canonical(transaction)}`);
  return { operationId: name, suffix: [...expectedSuffix], items: [...replacement] };
};
