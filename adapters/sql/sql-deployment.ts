import type { Fields } from '../../src/input/parse-fields.js';
import type { Misconfigured } from '../../src/session/errors.js';
import { differenceOf } from '../shared/difference-of.js';

/** The settings in the options of a process; undefined follows the stored setting. */
export interface AskedDeployment {
  readonly events: boolean | undefined;
  /** Number of events that the log keeps. */
  readonly eventsLength: number | undefined;
  readonly leaseIndex: boolean | undefined;
}

/** The settings that all processes of a database share. `migrate` stores them. */
export interface SqlDeployment {
  /** Number of events that the log keeps; 0 without events. */
  readonly eventsLength: number;
  readonly leaseIndex: boolean;
}

/** Options of `migrate`. */
export interface MigrateOptions {
  /** Whether to change the stored settings to the options of this process. Default: false. */
  readonly reconfigure?: boolean;
}

const DEFAULT_EVENTS = 100_000;

/** The names of the settings in the table meta. */
export const SETTINGS = ['events', 'lease_index'] as const;

/** The settings in rows of the table meta. */
export const deploymentIn = (rows: readonly Fields[]): SqlDeployment => {
  const numberOf = (name: (typeof SETTINGS)[number]) =>
    Number(rows.find((row) => row['name'] === name)?.['value'] ?? 0);
  return { eventsLength: numberOf('events'), leaseIndex: numberOf('lease_index') === 1 };
};

/** The values of `SETTINGS`, in their order. */
export const valuesOf = ({ eventsLength, leaseIndex }: SqlDeployment): readonly [number, number] => [
  eventsLength,
  Number(leaseIndex),
];

/** The settings of a process: its options, and the stored settings for the others. */
export const wantedOf = (
  { events, eventsLength, leaseIndex }: AskedDeployment,
  stored: SqlDeployment,
): SqlDeployment => ({
  eventsLength: (events ?? stored.eventsLength > 0) ? (eventsLength ?? (stored.eventsLength || DEFAULT_EVENTS)) : 0,
  leaseIndex: leaseIndex ?? stored.leaseIndex,
});

const changed = 'change it with migrate({ reconfigure: true })';

/** The error of a process whose options differ from the stored settings. */
export const refusalOfSettings = (
  store: string,
  { events, leaseIndex }: AskedDeployment,
  stored: SqlDeployment,
): Misconfigured | undefined =>
  differenceOf(
    store,
    { events, leaseIndex },
    { events: stored.eventsLength > 0, leaseIndex: stored.leaseIndex },
    { events: changed, leaseIndex: changed },
  );
