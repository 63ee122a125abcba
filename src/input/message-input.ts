import type { Result } from 'neverthrow';
import { creation } from '../schema/host-values.js';
import { object } from '../schema/object.js';
import { inputOf, readSafely } from '../schema/read-input.js';
import { about, named, nullish, optional, type Schema } from '../schema/schema.js';
import { capped, flag, list, operationId } from '../schema/values.js';
import type { InvalidInput } from '../session/errors.js';
import { isFields } from '../session/fields.js';
import { TAKE_LIMIT } from '../session/limits.js';
import { usageField } from './counters.js';
import { type GivenEntry, textOrEntry } from './entries-input.js';
import type { InputPolicy } from './input-policy.js';
import { perPolicy } from './input-policy.js';

const USER = 'user';
const ASSISTANT = 'assistant';

export const newMessage = perPolicy((policy) =>
  named('NewMessage', about('A message to send.', textOrEntry(policy, USER, operationId))),
);

export const messageId = about('The id of the message.', operationId);

export const parseSendOptions = inputOf('options', object({ create: creation }));

export const saidEntries = perPolicy((policy): Schema<readonly GivenEntry[]> => {
  const one = named('TurnEntry', about('An entry of a turn.', textOrEntry(policy, ASSISTANT)));
  const many = list(one, { least: 0, most: policy.limits.entriesPerAppend, of: 'entries' });
  return {
    ...many,
    isOptional: true,
    read: (issues, path, value) => {
      if (value === undefined || value === null || value === '') return [];
      if (Array.isArray(value)) return many.read(issues, path, value);
      return [one.read(issues, path, value)];
    },
  };
});

export const parseMessage = (
  message: unknown,
  policy: InputPolicy,
): Result<GivenEntry, InvalidInput> =>
  readSafely((issues) => issues.read('message', newMessage(policy), message));

/** Reads what a turn says: its entries, or its entries and its usage. */
export const parseSaid = (said: unknown, policy: InputPolicy) =>
  readSafely((issues) => {
    const isWhole = isFields(said) && ('entries' in said || 'usage' in said);
    const { entries, usage } = isWhole ? said : { entries: said };
    return {
      entries: issues.read('entries', saidEntries(policy), entries),
      usage: issues.read('usage', usageField, usage),
    };
  });

const messageIds = list(messageId, { least: 1, most: TAKE_LIMIT, of: 'ids' });

export const sendBody = perPolicy((policy) =>
  about(
    'A message to send.',
    object({
      ...newMessage(policy).fields,
      create: about(
        'Whether a missing session is created and started: only if the host serves commands.',
        nullish(flag),
      ),
    }),
  ),
);

export const withdrawBody = about(
  'Which messages to withdraw.',
  object({
    ids: about('The ids of messages that wait. Default: all that wait.', nullish(messageIds)),
  }),
);

/** Maximum milliseconds for which a request waits: some proxies end one without bytes after 60 s. */
export const MAX_WAIT_MS = 30_000;

export const answerQuery = {
  messageId,
  timeoutMs: optional(capped(0, MAX_WAIT_MS), MAX_WAIT_MS),
};

/** Reads the ids of messages to withdraw; undefined for all. */
export const parseMessageIds = inputOf('ids', optional(messageIds));
