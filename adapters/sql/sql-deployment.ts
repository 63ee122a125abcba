import { err, ok, type Result } from 'neverthrow';
import { type Misconfigured, misconfigured } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { differenceOf } from '../../src/store/difference-of.js';
import { type AskedDeployment, type StoredDeployment, wantedOf } from '../stored/deployment.js';

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Change the stored settings to the options of this process. Default: false. */
  readonly reconfigure?: boolean | undefined;
}

const metaIn = (rows: readonly Fields[], name: string): number | undefined => {
  const row = rows.find((each) => each['name'] === name);
  return row && Number(row['value']);
};

const deploymentIn = (rows: readonly Fields[]): StoredDeployment => ({
  eventsLength: metaIn(rows, 'events') ?? 0,
  reportEnds: metaIn(rows, 'report_ends') === 1,
});

const settingsOf = ({ eventsLength, reportEnds }: StoredDeployment) => ({
  events: eventsLength,
  report_ends: Number(reportEnds),
});

const changed = 'change it with migrate({ reconfigure: true })';

/** Fails if the options of the process differ from the rows of the table meta. */
export const deploymentFor = (
  store: string,
  asked: AskedDeployment,
  rows: readonly Fields[],
): Result<StoredDeployment, Misconfigured> => {
  const stored = deploymentIn(rows);
  const { events, reportEnds } = asked;
  const { eventsLength, ...others } = stored;
  const refusal = differenceOf(
    store,
    { events, reportEnds },
    { events: eventsLength > 0, ...others },
    { events: changed, reportEnds: changed },
  );
  return refusal === undefined ? ok(wantedOf(asked, stored)) : err(refusal);
};

/** Of the tables that this program makes. Later tables contain which programs can use them. */
const VERSION = 1;

/** The result of `migrate`. */
export interface Migration {
  /** The version of the tables before the call; 0 if there were none. */
  readonly from: number;
  /** The version after the call; the same as `from` if the call made and upgraded no tables. */
  readonly to: number;
  /**
   * Why a SQLite database has no write-ahead log. Without one, readers and the writer of a file
   * wait for each other. Absent if it has one, and on PostgreSQL.
   */
  readonly withoutWal?: string;
}

/** Fails if a later version has changed the tables so that this program cannot use them. */
export const migrationOf = (rows: readonly Fields[]): Result<Migration, Misconfigured> => {
  const from = metaIn(rows, 'version') ?? 0;
  const usableFrom = metaIn(rows, 'usable_from') ?? from;
  if (usableFrom <= VERSION) return ok({ from, to: Math.max(from, VERSION) });
  const made = `a later version of Colloquy made the tables: version ${from}`;
  return err(
    misconfigured(`${made}, which needs ${usableFrom} or later; this one knows ${VERSION}`),
  );
};

/** What a migration writes into the table meta: the version only with new tables. */
export const metaAfter = (
  rows: readonly Fields[],
  { from }: Migration,
  asked: AskedDeployment,
): Readonly<Record<string, number>> => {
  const settings = settingsOf(wantedOf(asked, deploymentIn(rows)));
  if (from > 0) return settings;
  return { version: VERSION, usable_from: VERSION, ...settings };
};
