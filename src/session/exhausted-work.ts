import { sortedLabels } from './labels.js';
import type { SessionLabels } from './session.js';
import type { StateRecord } from './session-record.js';

/** The prefix of labels that only the engine sets. */
export const RESERVED_PREFIX = 'colloquy.';

/**
 * The label of a session whose work has failed in all its attempts, until a worker claims it again.
 */
const WORK = `${RESERVED_PREFIX}work`;
const EXHAUSTED = 'exhausted';

export const isExhausted = ({ labels }: { readonly labels?: SessionLabels | undefined }): boolean =>
  labels?.[WORK] === EXHAUSTED;

/** The state with the label. */
export const exhausted = (state: StateRecord): StateRecord => {
  const labels = sortedLabels([...Object.entries(state.labels ?? {}), [WORK, EXHAUSTED]]);
  return { ...state, ...(labels && { labels }) };
};

/** The state without the label. */
export const notExhausted = (state: StateRecord): StateRecord => {
  if (!isExhausted(state)) return state;
  const { labels = {}, ...rest } = state;
  const others = sortedLabels(Object.entries(labels).filter(([name]) => name !== WORK));
  return { ...rest, ...(others && { labels: others }) };
};
