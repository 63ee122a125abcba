import type { Result } from 'neverthrow';
import { object } from '../schema/object.js';
import { readSafely } from '../schema/read-input.js';
import { about, like, nullish, type Out, optional } from '../schema/schema.js';
import type { InvalidInput } from '../session/errors.js';
import { commandFields } from './command-inputs.js';
import { usageField } from './counters.js';
import { ifPosition, maybeEntries, position, wakeField } from './entries-input.js';
import type { InputPolicy } from './input-policy.js';
import { perPolicy } from './input-policy.js';
import { messageId, newMessage } from './message-input.js';

const rewindFields = perPolicy((policy) => ({
  to: about(
    'The position of an entry, or 0: the entries after it are superseded.',
    like(0, optional(position)),
  ),
  before: about(
    'The id of a message: it is superseded, with what follows it.',
    optional(messageId),
  ),
  after: about('The id of a message: what follows it is superseded.', optional(messageId)),
  ifPosition: like(1, ifPosition),
  wake: wakeField,
  send: about('A message to send in the same step.', optional(newMessage(policy))),
  entries: about(
    'The entries that follow, oldest first. Default: none.',
    nullish(maybeEntries(policy), []),
  ),
  usage: usageField,
}));

export const rewindBody = perPolicy((policy) =>
  about('Where to go back to, and what follows.', object(rewindFields(policy))),
);

const rewindInput = perPolicy((policy) => object({ ...commandFields, ...rewindFields(policy) }));

export type ParsedRewind = Out<ReturnType<typeof rewindInput>>;

/** Where a rewind goes back to: exactly one of these is given. */
const places = ['to', 'before', 'after'] as const;

export const parseRewind = (
  input: unknown,
  policy: InputPolicy,
): Result<ParsedRewind, InvalidInput> =>
  readSafely((issues) => {
    const rewind = issues.read('input', rewindInput(policy), input);
    const given = places.filter((name) => rewind[name] !== undefined);
    issues.check(given.length === 1, 'to', 'or before or after is required, and only one of them');
    const isSafe = rewind.to === undefined || rewind.ifPosition !== undefined;
    issues.check(isSafe, 'ifPosition', 'is required with a position');
    return rewind;
  });
