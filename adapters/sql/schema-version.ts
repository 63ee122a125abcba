import { err, ok, type Result } from 'neverthrow';
import type { Fields } from '../../src/input/parse-fields.js';
import { type Misconfigured, misconfigured } from '../../src/session/errors.js';
import {
  type AskedDeployment,
  deploymentIn,
  metaIn,
  settingsOf,
  wantedOf,
} from './sql-deployment.js';

/** The stored version of the tables: the number of steps that made them; 0 if there are none. */
export interface SchemaVersion {
  readonly version: number;
  /** The earliest version whose programs can still use the tables. */
  readonly usableFrom: number;
}

/** The result of `migrate`. */
export interface Migration {
  /** The version of the tables before the call; 0 if there were none. */
  readonly from: number;
  /**
   * The version of the tables after the call; the same as `from` if it has made and upgraded none.
   */
  readonly to: number;
  /**
   * Why a SQLite database has no write-ahead log. Without one, readers and the writer of a file
   * wait for each other. Absent if it has one, and on PostgreSQL.
   */
  readonly withoutWal?: string;
}

/** The version in rows of the table meta. */
export const versionIn = (rows: readonly Fields[]): SchemaVersion => {
  const version = metaIn(rows, 'version') ?? 0;
  return { version, usableFrom: metaIn(rows, 'usable_from') ?? version };
};

/**
 * What a migration to `made` writes into the table meta, by names: the version, and the settings of
 * the process that makes the tables or reconfigures them.
 */
export const metaAfter = (
  rows: readonly Fields[],
  made: SchemaVersion,
  asked: AskedDeployment,
  reconfigure: boolean,
): Readonly<Record<string, number>> => {
  const { version } = versionIn(rows);
  const isUpgraded = version < made.version;
  const isConfigured = version === 0 || reconfigure;
  return {
    ...(isUpgraded && { version: made.version, usable_from: made.usableFrom }),
    ...(isConfigured && settingsOf(wantedOf(asked, deploymentIn(rows)))),
  };
};

/**
 * What a program of the version `known` does with these tables. An error if a later version has
 * changed them so that the program cannot use them.
 */
export const migrationOf = (
  { version, usableFrom }: SchemaVersion,
  known: number,
): Result<Migration, Misconfigured> => {
  if (version <= known || usableFrom <= known)
    return ok({ from: version, to: Math.max(version, known) });
  const made = `a later version of Colloquy made the tables: version ${version}`;
  return err(misconfigured(`${made}, which needs ${usableFrom} or later; this one knows ${known}`));
};
