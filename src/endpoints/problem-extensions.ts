import { about, like, type OutOf, optional, type Schema } from '../schema/schema.js';
import { anyText } from '../schema/values.js';
import { count, instant, wireList, wireObject } from '../schema/wire.js';

const issue = wireObject({ path: like('face', anyText), message: like('is required', anyText) });

const errors = about(
  'With invalid_input alone: every field that breaks a rule, by the name that it was sent under.',
  wireList(issue),
);

const position = about('With history_moved: where the history ends.', like(1, count()));

const holder = about('With leased: who has the session.', like('worker-1', anyText));

const until = about('With leased: when the lease ends.', instant);

const reason = optional(
  about('With cancelled: the reason, for the worker.', like('The user has stopped it.', anyText)),
);

/**
 * The members of a problem in addition to its code: the issues of invalid input, or the state that
 * caused the error.
 */
export const problemExtensions = {
  errors: optional(errors),
  position: optional(position),
  holder: optional(holder),
  until: optional(until),
  reason,
};

export type ProblemExtensions = Partial<OutOf<typeof problemExtensions>>;

export const problemExtensionsOf: Readonly<Record<string, Schema<ProblemExtensions>>> = {
  invalid_input: wireObject({ errors }),
  history_moved: wireObject({ position }),
  leased: wireObject({ holder, until }),
  cancelled: wireObject({ reason }),
};
