import type { Result } from 'neverthrow';
import { object } from '../schema/object.js';
import { readSafely } from '../schema/read-input.js';
import { about, nullish, type Out } from '../schema/schema.js';
import { onOrOff, text } from '../schema/values.js';
import { cutText } from '../session/cut-text.js';
import type { InvalidInput } from '../session/errors.js';
import { ERROR_LENGTH, TAKE_LIMIT } from '../session/limits.js';
import { fencingToken, takeLimit } from './command-inputs.js';
import { usageField } from './counters.js';
import type { InputPolicy } from './input-policy.js';
import { perPolicy } from './input-policy.js';
import { saidEntries } from './message-input.js';

export const takeInput = perPolicy((policy) =>
  about(
    'What a turn has said so far, and how many messages to take.',
    object({
      fencingToken,
      after: about('Stored before the messages, oldest first.', saidEntries(policy)),
      limit: about(
        'Maximum number of messages; above 100 it counts as 100.',
        nullish(takeLimit, TAKE_LIMIT),
      ),
    }),
  ),
);

export type ParsedTake = Out<ReturnType<typeof takeInput>>;

export const parseTake = (input: unknown, policy: InputPolicy): Result<ParsedTake, InvalidInput> =>
  readSafely((issues) => issues.read('input', takeInput(policy), input));

const releaseFields = perPolicy((policy) =>
  object({
    fencingToken,
    done: about(
      'Of a claim: whether the work is done. If not, the session waits for a worker again after a delay.',
      onOrOff,
    ),
    entries: about('The last entries of the turn: only with `done`.', saidEntries(policy)),
    usage: usageField,
    error: about(
      'Why the work is not done, for `work` of the session; cut after 500 characters.',
      nullish(text(64 * 1024)),
    ),
  }),
);

export const releaseInput = perPolicy((policy) =>
  about('Which lease to end.', releaseFields(policy)),
);

export type ParsedRelease = Out<ReturnType<typeof releaseFields>>;

export const parseRelease = (
  input: unknown,
  policy: InputPolicy,
): Result<ParsedRelease, InvalidInput> =>
  readSafely((issues) => {
    const { error, ...release } = issues.read('input', releaseFields(policy), input);
    const { done, entries, usage } = release;
    issues.check(done || entries.length === 0, 'entries', 'are only for work that is done');
    issues.check(done || usage === undefined, 'usage', 'is only for work that is done');
    return { ...release, error: error === undefined ? undefined : cutText(error, ERROR_LENGTH) };
  });
