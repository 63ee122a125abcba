import { about, type OutOf, optional } from '../schema/schema.js';
import { anyText } from '../schema/values.js';
import { wireList, wireObject } from '../schema/wire-object.js';
import { count, instant } from './wire-values.js';

const issue = wireObject({ path: anyText, message: anyText });

/**
 * What a problem tells besides its code: the issues of invalid input, or the state that caused the
 * error.
 */
export const particulars = {
  errors: optional(
    about(
      'With invalid_input alone: every field that breaks a rule, by the name that it was sent under.',
      wireList(issue),
    ),
  ),
  position: optional(about('With history_moved: where the history ends.', count())),
  holder: optional(about('With leased: who has the session.', anyText)),
  until: optional(about('With leased: when the lease ends.', instant)),
  reason: optional(about('With cancelled: the reason, for the worker.', anyText)),
};

export type Particulars = Partial<OutOf<typeof particulars>>;
