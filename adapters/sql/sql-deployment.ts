import { switchOr } from '../../src/schema/host-values.js';
import { object } from '../../src/schema/object.js';
import { type FieldSchemas, optional } from '../../src/schema/schema.js';
import { flag, upTo } from '../../src/schema/values.js';
import type { Misconfigured } from '../../src/session/errors.js';
import type { Fields } from '../../src/session/fields.js';
import { differenceOf } from '../../src/store/difference-of.js';

/** The settings in the options of a process; undefined follows the stored setting. */
export interface AskedDeployment {
  readonly events: boolean | undefined;
  /** Number of events that the log keeps. */
  readonly eventsLength: number | undefined;
  readonly reportEnds: boolean | undefined;
}

/** The settings that all processes of a database share. `migrate` stores them. */
export interface SqlDeployment {
  /** Number of events that the log keeps; 0 without events. */
  readonly eventsLength: number;
  /** Whether sweeps report ends. */
  readonly reportEnds: boolean;
}

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Whether to change the stored settings to the options of this process. Default: false. */
  readonly reconfigure?: boolean | undefined;
}

const DEFAULT_EVENTS = 100_000;
const MAX_EVENTS = 100_000_000;

const eventsLength = optional(upTo(MAX_EVENTS));

/** The options of a store that make a deployment; `more` are those of its events. */
export const deploymentFields = <F extends FieldSchemas>(more: F) => ({
  events: optional(switchOr(object({ length: eventsLength, ...more }))),
  reportEnds: optional(flag),
});

/** What a process asks for. */
export const askedOf = ({
  events,
  reportEnds,
}: {
  readonly events: boolean | { readonly length?: number | undefined } | undefined;
  readonly reportEnds: boolean | undefined;
}): AskedDeployment => {
  if (typeof events !== 'object') return { reportEnds, events, eventsLength: undefined };
  return { reportEnds, events: true, eventsLength: events.length };
};

/** A number in rows of the table meta. */
export const metaIn = (rows: readonly Fields[], name: string): number | undefined => {
  const row = rows.find((each) => each['name'] === name);
  return row && Number(row['value']);
};

/** The settings in rows of the table meta. */
export const deploymentIn = (rows: readonly Fields[]): SqlDeployment => ({
  eventsLength: metaIn(rows, 'events') ?? 0,
  reportEnds: metaIn(rows, 'report_ends') === 1,
});

/** The settings as rows of the table meta, by their names. */
export const settingsOf = ({ eventsLength, reportEnds }: SqlDeployment) => ({
  events: eventsLength,
  report_ends: Number(reportEnds),
});

/** The settings of a process: its options, and the stored settings for the others. */
export const wantedOf = (
  { events, eventsLength, reportEnds }: AskedDeployment,
  stored: SqlDeployment,
): SqlDeployment => {
  const hasEvents = events ?? stored.eventsLength > 0;
  const length = eventsLength ?? (stored.eventsLength || DEFAULT_EVENTS);
  return { eventsLength: hasEvents ? length : 0, reportEnds: reportEnds ?? stored.reportEnds };
};

const changed = 'change it with migrate({ reconfigure: true })';

/** The error of a process whose options differ from the stored settings. */
export const refusalOfSettings = (
  store: string,
  { events, reportEnds }: AskedDeployment,
  { eventsLength, ...stored }: SqlDeployment,
): Misconfigured | undefined =>
  differenceOf(
    store,
    { events, reportEnds },
    { events: eventsLength > 0, ...stored },
    { events: changed, reportEnds: changed },
  );
