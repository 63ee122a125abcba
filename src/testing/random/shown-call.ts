import type { StateRecord } from '../../session/session-record.js';
import type { DueKey } from '../../store/session-store.js';
import { difference } from '../answers.js';
import { live, NEVER, NOON } from '../samples.js';
import type { RandomStep } from './random-steps.js';

/** The properties that differ from an earlier value; null for one that is missing. */
const changesOf = <T extends object>(value: T, before: T) => {
  const [now, then] = [value, before].map((each) => new Map<string, unknown>(Object.entries(each)));
  const names = Object.keys({ ...before, ...value });
  return Object.fromEntries(
    names
      .map((name) => [name, now?.get(name) ?? null, then?.get(name) ?? null] as const)
      .filter(([, is, was]) => difference(is, was, '') !== undefined),
  );
};

const usual = live('IDLE');

/** The properties of a state that differ from the usual ones. */
const unusual = (state: StateRecord) => ({
  ...changesOf<StateRecord>(state, usual),
  terms: changesOf(state.terms, usual.terms),
});

const withoutInfinity = (_: string, value: unknown): unknown => (value === NEVER ? 'never' : value);

/** Reports show only the unusual properties of a state, so that a call fits on a line. */
const shownEffects = (step: Exclude<RandomStep, { readonly call: 'take' }>) => {
  const { call, commit } = step;
  if (call === 'begin') {
    const { head, state, ...rest } = commit.effects;
    return { createdAt: head.createdAt, state: unusual(state), ...rest };
  }
  if (call === 'remove') {
    const { remains, ...rest } = commit.effects;
    return { remains: remains && { ...remains, state: unusual(remains.state) }, ...rest };
  }
  const { effects } = commit;
  const isPut = 'put' in effects && effects.put !== undefined;
  return isPut ? { ...effects, put: changesOf(effects.put.state, effects.put.previous) } : effects;
};

export const shownCall = (step: RandomStep): string => {
  if (step.call === 'take') return `take ${JSON.stringify(step.range, withoutInfinity)}`;
  const { key, guards } = step.commit;
  const { id, removal }: DueKey = key;
  const name = removal === undefined ? id : `${id} (${removal})`;
  const { events, ...rest } = { events: [], ...shownEffects(step) };
  const shown = { guards, ...rest, events: events.map(({ type }) => type) };
  return `${step.call} ${name} ${JSON.stringify(shown, withoutInfinity)}`;
};

const DAY_MS = 86_400_000;

/** A text with the times of the samples as milliseconds after NOON, which are easy to compare. */
export const withShortTimes = (text: string): string =>
  text.replaceAll(/"\d{4}-[\dT:.-]+Z"|\b\d{13}\b/g, (found) => {
    const ms = (found.startsWith('"') ? Date.parse(found.slice(1, -1)) : Number(found)) - NOON;
    if (!(Math.abs(ms) < DAY_MS)) return found;
    return ms < 0 ? `${ms}` : `+${ms}`;
  });
