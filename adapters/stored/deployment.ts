import { switchOr } from '../../src/schema/host-values.js';
import { object } from '../../src/schema/object.js';
import { type FieldSchemas, optional } from '../../src/schema/schema.js';
import { flag, upTo } from '../../src/schema/values.js';

/** The settings in the options of a process; undefined to follow the stored setting. */
export interface AskedDeployment {
  readonly events: boolean | undefined;
  /** Number of events that the log keeps. */
  readonly eventsLength: number | undefined;
  readonly reportEnds: boolean | undefined;
}

/** The settings that all processes of a deployment share. */
export interface StoredDeployment {
  /** Number of events that the log keeps; 0 without events. */
  readonly eventsLength: number;
  readonly reportEnds: boolean;
}

const DEFAULT_EVENTS = 100_000;
const MAX_EVENTS = 100_000_000;

const eventsLength = optional(upTo(MAX_EVENTS));

/** `more`: further options of `events`. */
export const deploymentFields = <F extends FieldSchemas>(more: F) => ({
  events: optional(switchOr(object({ length: eventsLength, ...more }))),
  reportEnds: optional(flag),
});

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

/** The options of a process, and the stored settings in place of those that are missing. */
export const wantedOf = (
  { events, eventsLength, reportEnds }: AskedDeployment,
  stored: StoredDeployment,
): StoredDeployment => {
  const hasEvents = events ?? stored.eventsLength > 0;
  const length = eventsLength ?? (stored.eventsLength || DEFAULT_EVENTS);
  return { eventsLength: hasEvents ? length : 0, reportEnds: reportEnds ?? stored.reportEnds };
};
