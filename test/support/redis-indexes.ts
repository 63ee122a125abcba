import { Keyspace, keyOfPath, labelKeys } from '../../adapters/redis/keyspace.js';
import { decodeFixed, decodeLabels } from '../../adapters/redis/record-text.js';

/** As much of a client as it takes to look at everything. */
interface LookingClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

export interface StoredUnder {
  readonly prefix: string;
  readonly partitions?: number;
  readonly statusIndex?: boolean;
}

const keysUnder = async (client: LookingClient, prefix: string): Promise<readonly string[]> => {
  const found = await client.call('KEYS', `${prefix}:{*`);
  return (Array.isArray(found) ? found.map(String) : []).toSorted();
};

const numberOf = (score: unknown): number => (typeof score === 'string' ? Number(score) : Number.NaN);

/**
 * What is missing beside the sessions of a store: a session that no list has, or no list by its status or one of its labels, or whose deadline
 * is noted nowhere or too late. Nothing may ever be.
 */
export const missingEntries = async (
  client: LookingClient,
  { prefix, partitions = 1, statusIndex = false }: StoredUnder,
): Promise<readonly string[]> => {
  const keys = new Keyspace(prefix, partitions, statusIndex);
  const missing: string[] = [];
  for (const name of await keysUnder(client, prefix)) {
    const { kind, rest } = keys.parse(name) ?? { kind: '', rest: '' };
    if (kind !== 'record') continue;
    const key = keyOfPath(rest);
    const text = String(await client.call('GET', name));
    const fields = decodeFixed(text);
    if (fields === undefined || fields === 'removed') continue;
    const session = keys.of(key);
    const { index, byStatus, deadlines, tenants, member, owner } = session;
    const lists = [index, byStatus[fields.status], ...labelKeys(session, decodeLabels(text))].filter(
      (list) => list !== undefined,
    );
    for (const list of lists) {
      if (numberOf(await client.call('ZSCORE', list, member)) !== fields.createdMs) missing.push(`${rest} in ${list}`);
    }
    if (fields.deadline === Number.POSITIVE_INFINITY) continue;
    for (const [list, name] of [
      [deadlines, member],
      [tenants, owner],
    ] as const) {
      const noted = numberOf(await client.call('ZSCORE', list, name));
      if (!(noted <= fields.deadline)) missing.push(`${rest} in ${list} by ${fields.deadline}: ${noted}`);
    }
  }
  return missing;
};
