import { checked, mapped, nullish, type Schema } from '../schema/schema.js';
import { name } from '../schema/values.js';
import { LABEL_VALUE_LENGTH, MAX_LABELS } from '../session/limits.js';
import type { LabelChanges, SessionLabels } from '../session/session.js';
import { RESERVED_PREFIX } from '../session/work-state.js';
import { namedValues } from './named-values.js';

// Literals, so that a bundle without labels omits them.
const FREE_RULE = 'must have no names that begin with colloquy., which only the engine sets';

const labelValue = name(LABEL_VALUE_LENGTH);

/** Labels that a caller sets: none that only the engine sets. */
/* @__NO_SIDE_EFFECTS__ */
const settable = <T>(of: Schema<T>, most: number): Schema<Readonly<Record<string, T>>> =>
  checked(
    namedValues(of, { least: 0, most, rule: () => `must be at most ${most}` }),
    (given) => !Object.keys(given).some((each) => each.startsWith(RESERVED_PREFIX)),
    FREE_RULE,
  );

/** The labels of a session; `undefined` if there are none. */
export const labels: Schema<SessionLabels | undefined> = nullish(
  mapped(settable(labelValue, MAX_LABELS), (given) =>
    Object.keys(given).length > 0 ? given : undefined,
  ),
);

const labelChange: Schema<string | null> = {
  read: (issues, path, value) => (value === null ? null : labelValue.read(issues, path, value)),
  json: () => ({ ...labelValue.json(), type: ['string', 'null'] }),
};

// Apart, because a bundler keeps a call with a product that nobody needs.
const MAX_CHANGES = 2 * MAX_LABELS;

/** Labels to set, and with `null` to remove: at most all that a session has, and as many new ones. */
export const labelChanges: Schema<LabelChanges | undefined> = nullish(
  settable(labelChange, MAX_CHANGES),
);

export const labelFilter: Schema<SessionLabels> = namedValues(labelValue, {
  least: 1,
  most: MAX_LABELS,
  rule: (most) => `must be 1 to ${most} labels, such as { user: 'u-1' }`,
});
