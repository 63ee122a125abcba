import { jsonText } from '../../src/input/json-values.js';
import { readSafely } from '../../src/schema/read-input.js';
import { canonicalJson } from '../../src/session/canonical-json.js';
import { isFields } from '../../src/session/fields.js';
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
 * A copy, because the caller may change its items while they are being stored. The error names the
 * rule and quotes nothing, unlike errors of `structuredClone` and `JSON.stringify`.
 */
const copyOf = <Item>(given: HistoryTransaction<Item>): HistoryTransaction<Item> =>
  readSafely((issues) => {
    for (const [name, items] of Object.entries(given))
      if (Array.isArray(items))
        for (const [at, item] of items.entries())
          jsonText.read(issues, `transaction.${name}[${at}]`, item);
    if (issues.found.length > 0) return undefined;
    return issues.read('transaction', jsonText, given);
  }).match(
    (text = '{}') => JSON.parse(text),
    ({ message }) => {
      throw new TypeError(message);
    },
  );

/**
 * Parses a transaction. The operation id of a replacement contains a digest of the whole
 * transaction: when it is sent again, its position is no longer known, so the engine could not
 * compare the two. `epoch` distinguishes ids that are used before the history was cleared from the
 * same ids afterwards.
 */
export const parseTransaction = async <Item>(
  { operationId: givenId, transaction: given }: HistoryTransactionArgs<Item>,
  epoch: string,
) => {
  check(
    typeof givenId === 'string' && givenId.trim() !== '',
    'operationId must be a non-empty string',
  );
  const operationId = `${givenId}${epoch}`;
  check(isFields(given), 'transaction must be an object');
  const transaction = copyOf(given);
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
