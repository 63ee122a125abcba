import { isFields } from '../../src/input/parse-fields.js';
import { canonicalJson } from '../../src/session/canonical-json.js';
import { sha256 } from '../../src/session/sha256.js';

/** Appends items, or replaces the last ones if they are still the expected ones. */
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

const check = (fits: boolean, message: string): void => {
  if (!fits) throw new TypeError(message);
};

/**
 * Parses a transaction. The operation id of a replacement contains a digest of the whole
 * transaction: when it is sent again, its position is no longer known, so the engine could not
 * compare the two.
 */
export const parseTransaction = async <Item>({
  operationId,
  transaction: given,
}: HistoryTransactionArgs<Item>) => {
  check(
    typeof operationId === 'string' && operationId.trim() !== '',
    'operationId must be a non-empty string',
  );
  check(isFields(given), 'transaction must be an object');
  // The caller may change its items while they are being stored.
  const transaction = structuredClone(given);
  const names = Object.keys(transaction).sort().join();
  if (transaction.type === 'append_items') {
    check(
      names === 'items,type' && Array.isArray(transaction.items),
      'append transaction fields are invalid',
    );
    return { operationId: await sha256(operationId), suffix: undefined, items: transaction.items };
  }
  check(transaction.type === 'replace_suffix', 'Unsupported session history transaction type');
  const { expectedSuffix, replacement } = transaction;
  const fits =
    names === 'expectedSuffix,replacement,type' &&
    [expectedSuffix, replacement].every(Array.isArray);
  check(fits, 'suffix transaction fields are invalid');
  const name = await sha256(`${operationId}\n${canonicalJson(transaction)}`);
  return { operationId: name, suffix: expectedSuffix, items: replacement };
};
