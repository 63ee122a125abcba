import type { Result } from 'neverthrow';
import type { StoreUnavailable } from '../../src/errors.js';
import { Connection } from './connection.js';
import { DeadlineIndex } from './deadline-index.js';
import { Keyspace } from './keys.js';
import { Leftovers } from './leftovers.js';
import type { RedisSettings } from './options.js';
import { RecordReader } from './record-reader.js';
import { StatusIndex } from './status-index.js';

/** What all that one store does is done with. */
export interface StoreParts {
  readonly connection: Connection;
  readonly keys: Keyspace;
  readonly records: RecordReader;
  readonly leftovers: Leftovers;
  readonly deadlines: DeadlineIndex;
  readonly statuses: StatusIndex;
}

/** The parts of a store. With options that break a rule nothing is ever sent, so that its keys may be any. */
export const partsOf = (settings: Result<RedisSettings, StoreUnavailable>): StoreParts => {
  const { prefix, partitions, statusIndex } = settings.unwrapOr({ prefix: '', partitions: 1, statusIndex: false });
  const connection = new Connection(settings);
  const keys = new Keyspace(prefix, partitions);
  return {
    connection,
    keys,
    records: new RecordReader(),
    leftovers: new Leftovers(connection, keys),
    deadlines: new DeadlineIndex(connection),
    statuses: new StatusIndex(connection, keys, statusIndex),
  };
};
