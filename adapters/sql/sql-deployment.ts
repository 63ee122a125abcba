import type { IssueList } from '../../src/input/issue-list.js';
import { checkSwitch, parseUpTo } from '../../src/input/parse-fields.js';
import type { Misconfigured } from '../../src/session/errors.js';
import { type Fields, isFields } from '../../src/session/fields.js';
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

/** The options of a store that `AskedDeployment` has. */
interface DeploymentOptions {
  readonly events?: boolean | { readonly length?: number | undefined } | undefined;
  readonly reportEnds?: boolean | undefined;
}

/** `form` is that of the option `events` with details. */
export const parseDeployment = (
  issues: IssueList,
  { events, reportEnds }: DeploymentOptions,
  form: string,
): AskedDeployment => {
  checkSwitch(issues, 'reportEnds', reportEnds);
  const asked = { reportEnds, events: true, eventsLength: undefined };
  if (events === undefined || typeof events === 'boolean') return { ...asked, events };
  issues.check(isFields(events), 'events', `must be true, false or ${form}`);
  if (!isFields(events) || events.length === undefined) return asked;
  return { ...asked, eventsLength: parseUpTo(issues, 'events.length', events.length, MAX_EVENTS) };
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
