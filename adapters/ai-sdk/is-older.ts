import { sameJson } from '../../src/session/json.js';
import type { JsonValue } from '../../src/session/session.js';
import type { Message } from './chat-message.js';

type Call = Message['parts'][number];

/** The states of a tool call, in the order that the SDK goes through them. */
const steps = new Map<JsonValue | undefined, number>([
  ['input-streaming', 0],
  ['input-available', 1],
  ['approval-requested', 2],
  ['approval-responded', 3],
  ['output-available', 5],
  ['output-error', 5],
  ['output-denied', 5],
]);

const PRELIMINARY = 4;
const FINISHED = 5;

const stepOf = ({ state, preliminary }: Call): number | undefined =>
  state === 'output-available' && preliminary === true ? PRELIMINARY : steps.get(state);

const decisionOf = ({ approval }: Call): unknown =>
  typeof approval === 'object' && approval !== null ? Reflect.get(approval, 'approved') : undefined;

const resultOf = ({ state, output, errorText }: Call) => ({ state, output, errorText });

const isBehind = (stored: Call, given: Call): boolean => {
  const [there, here] = [stepOf(stored), stepOf(given)];
  // A state of a later version of the SDK.
  if (there === undefined || here === undefined) return false;
  if (here < there) return true;
  const [before, now] = [decisionOf(stored), decisionOf(given)];
  if (before !== undefined && now !== undefined && before !== now) return true;
  return there === FINISHED && !sameJson(resultOf(stored), resultOf(given));
};

const callsOf = ({ parts }: Message): ReadonlyMap<JsonValue | undefined, Call> =>
  new Map(
    parts.flatMap((part): [JsonValue | undefined, Call][] =>
      part['toolCallId'] === undefined ? [] : [[part['toolCallId'], part]],
    ),
  );

const isBehindInCalls = (given: Message, stored: Message): boolean => {
  const known = callsOf(stored);
  if (known.size === 0) return false;
  if (given.parts.length < stored.parts.length) return true;
  const calls = callsOf(given);
  return [...known].some(([id, call]) => {
    const now = calls.get(id);
    return now === undefined || isBehind(call, now);
  });
};

const isBehindInText = (stored: Call, given: Call): boolean =>
  typeof stored['text'] === 'string' &&
  typeof given['text'] === 'string' &&
  stored.type === given.type &&
  stored['text'].startsWith(given['text']) &&
  stored['text'] !== given['text'];

/** Whether an answer ends before the stored one, and contains nothing that is not stored. */
const endsBefore = (given: Message, stored: Message): boolean =>
  given.role === 'assistant' &&
  !sameJson(given.parts, stored.parts) &&
  given.parts.every((part, at) => {
    const there = stored.parts[at];
    return there !== undefined && (sameJson(part, there) || isBehindInText(there, part));
  });

/**
 * Whether a message is an older version of the stored one: an answer that is a beginning of it, or
 * a message with tool calls if parts are missing, or a call lags behind its stored version or
 * contradicts it, because the page has not seen the decision or the answer of another page.
 */
export const isOlder = (given: Message, stored: Message): boolean =>
  isBehindInCalls(given, stored) || endsBefore(given, stored);
