import type { StateRecord } from '../../session/session-record.js';
import type { DueKey } from '../../store/session-store.js';
import { difference } from '../expect-equal.js';
import { NOON } from '../samples.js';
import type { RandomStep } from './random-steps.js';

/** The fields of a state that a change gives another value. */
const changesOf = ({ state, previous }: { state: StateRecord; previous: StateRecord }) => {
  const before = new Map<string, unknown>(Object.entries(previous));
  return Object.fromEntries(
    Object.entries(state).filter(
      ([name, value]) => difference(value, before.get(name), '') !== undefined,
    ),
  );
};

/** A day: times of the samples are shown as milliseconds since `NOON`. */
const DAY_MS = 86_400_000;

const plain = (_: string, value: unknown): unknown => {
  if (typeof value !== 'number') return value;
  if (value === Number.POSITIVE_INFINITY) return 'never';
  return Math.abs(value - NOON) < DAY_MS ? `+${value - NOON}` : value;
};

/** A call in one line, as a report shows it. */
export const shownCall = (step: RandomStep): string => {
  if (step.call === 'take') return `take ${JSON.stringify(step.range, plain)}`;
  const { key, guards, effects } = step.commit;
  const { id, removal }: DueKey = key;
  const name = removal === undefined ? id : `${id} (${removal})`;
  const put = 'put' in effects && effects.put && changesOf(effects.put);
  const { events, ...rest } = { events: [], ...effects };
  const types = events.map(({ type }) => type);
  const shown = { guards, ...rest, ...(put && { put }), events: types };
  return `${step.call} ${name} ${JSON.stringify(shown, plain)}`;
};
