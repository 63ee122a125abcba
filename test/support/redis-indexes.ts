import { Keyspace, keyOf, labelKey } from '../../adapters/redis/keyspace.js';
import { decodeRecord } from '../../adapters/redis/record.js';
import { dueAtOf, endsAt } from '../../src/session/time-limits.js';
import { wakeAtOf } from '../../src/session/work-state.js';

interface LookingClient {
  call(command: string, ...args: string[]): Promise<unknown>;
}

export interface StoredUnder {
  readonly prefix: string;
  readonly partitions?: number;
}

const keysUnder = async (client: LookingClient, prefix: string): Promise<readonly string[]> => {
  const found = await client.call('KEYS', `${prefix}:{*`);
  return (Array.isArray(found) ? found.map(String) : []).toSorted();
};

const numberOf = (score: unknown): number =>
  typeof score === 'string' ? Number(score) : Number.NaN;

/**
 * Finds missing index entries: a session that is in no list, or in no list by its status or a
 * label, or whose due time or work time is missing or too late. Ended sessions have no work time,
 * and the fractional time of a tenant may be later than its first session.
 */
export const missingEntries = async (
  client: LookingClient,
  { prefix, partitions = 1 }: StoredUnder,
): Promise<readonly string[]> => {
  const keys = new Keyspace(prefix, partitions);
  const missing: string[] = [];
  for (const name of await keysUnder(client, prefix)) {
    const { kind, rest } = keys.parse(name) ?? { kind: '', rest: '' };
    if (kind !== 'record') continue;
    const key = keyOf(rest);
    const record = decodeRecord(key.id, String(await client.call('GET', name)));
    if (record === undefined) continue;
    const { head, state } = record;
    const session = keys.of(key);
    const {
      index,
      byStatus,
      work,
      waiting,
      deadlines,
      tenants,
      idKey: member,
      tenantKey: owner,
    } = session;
    const labels = Object.entries(state.labels ?? {}).map(([label, value]) =>
      labelKey(session, label, value),
    );
    const created = Date.parse(head.createdAt);
    for (const list of [index, byStatus[state.status], ...labels].filter(
      (each) => each !== undefined,
    )) {
      if (numberOf(await client.call('ZSCORE', list, member)) !== created)
        missing.push(`${rest} in ${list}`);
    }
    const [dueAt, wakeAt] = [dueAtOf(state), wakeAtOf(state)];
    for (const [list, name, at] of [
      [deadlines, member, dueAt],
      [tenants, owner, dueAt],
      [work, member, wakeAt],
      [waiting, owner, wakeAt],
    ] as const) {
      if (at === Number.POSITIVE_INFINITY) continue;
      const noted = numberOf(await client.call('ZSCORE', list, name));
      if (list === work && endsAt(state) <= Date.now()) continue;
      if (list === waiting && (noted % 1 > 0 || endsAt(state) <= Date.now())) continue;
      if (!(noted <= at)) missing.push(`${rest} in ${list} by ${at}: ${noted}`);
    }
  }
  return missing;
};
