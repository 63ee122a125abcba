import { Keyspace, labelKey } from '../../../adapters/redis/keyspace.js';
import type { TestClient } from '../../support/redis-clients.js';
import { LABELS, TARGET } from '../crashes/torn-writes.js';

export const tenant = 'default';

/** The store of the trials. */
export const prefix = 'refused';

/** The commands of the scripts of the mutations. */
const commands = [
  ...['get', 'getrange', 'set', 'setrange', 'strlen', 'exists', 'del', 'time'],
  ...[
    'hget',
    'hset',
    'hdel',
    'zadd',
    'zrem',
    'zrange',
    'zrangebyscore',
    'zscore',
    'zcard',
    'xadd',
    'xlen',
  ],
];

const keyspace = new Keyspace(prefix, 1);
export const { events: stream, work } = keyspace.tenant(tenant);

/** The keys of a session, by what they hold. */
const keysOf = (id: string): Readonly<Record<string, string>> => {
  const keys = keyspace.of({ tenant, id });
  const {
    record,
    journal,
    operations,
    inbox,
    index,
    byStatus,
    work,
    waiting,
    deadlines,
    tenants,
    events,
  } = keys;
  const origin = keyspace.of({ tenant, id: TARGET });
  const ofOrigin = {
    'record of the origin': origin.record,
    'journal of the origin': origin.journal,
  };
  const labels = {
    label: labelKey(keys, 'kind', LABELS.kind),
    'another label': labelKey(keys, 'team', LABELS.team),
  };
  const due = { deadlines, tenants };
  return {
    record,
    journal,
    operations,
    inbox,
    index,
    ...byStatus,
    work,
    waiting,
    ...labels,
    ...due,
    events,
    ...ofOrigin,
  };
};

/** Something that the server refuses from `begin` to `end`. */
export interface Refusal {
  readonly name: string;
  readonly begin: (control: TestClient, id: string) => Promise<unknown>;
  readonly end: (control: TestClient, id: string) => Promise<unknown>;
  /** After so long a call gives up: one that is refused for a moment is tried again until then. */
  readonly timeoutMs?: number;
  /** The sort of key that has a wrong type. */
  readonly wrongKey?: string;
}

const setting = (name: string, setting: string, refusing: string, normal: string): Refusal => ({
  name,
  begin: (control) => control.call('CONFIG', 'SET', setting, refusing),
  end: (control) => control.call('CONFIG', 'SET', setting, normal),
});

const SAVED = 'saved';

export const refusals: readonly Refusal[] = [
  ...commands.map((command) => ({
    name: `no right to ${command}`,
    begin: (control: TestClient) => control.call('ACL', 'SETUSER', 'writer', `-${command}`),
    end: (control: TestClient) => control.call('ACL', 'SETUSER', 'writer', `+${command}`),
  })),
  setting('OOM', 'maxmemory', '1', '0'),
  setting('NOREPLICAS', 'min-replicas-to-write', '1', '0'),
  {
    name: 'READONLY',
    timeoutMs: 1000,
    begin: (control) => control.call('REPLICAOF', '127.0.0.1', '1'),
    end: (control) => control.call('REPLICAOF', 'NO', 'ONE'),
  },
  ...Object.keys(keysOf('')).map((wrongKey) => ({
    name: `a wrong type of ${wrongKey}`,
    wrongKey,
    begin: async (control: TestClient, id: string) => {
      const { [wrongKey]: key = '' } = keysOf(id);
      await control.call('RENAME', key, SAVED).catch(() => undefined);
      await control.call('RPUSH', key, 'of another program');
    },
    end: async (control: TestClient, id: string) => {
      const { [wrongKey]: key = '' } = keysOf(id);
      await control.call('DEL', key);
      await control.call('RENAME', SAVED, key).catch(() => undefined);
    },
  })),
  { name: 'a wrong type of write', wrongKey: 'write', begin: async () => {}, end: async () => {} },
];
