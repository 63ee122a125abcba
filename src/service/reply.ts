import { err, ok, type Result } from 'neverthrow';
import { type ParsedReplyOptions, parseReplyOptions } from '../input/turn-options.js';
import { invalidField, notFound } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionRecord } from '../session/session-record.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { stateAt, usedState } from '../session/time-limits.js';
import { beginTurn, type Claim, sentState } from '../session/turn-state.js';
import { findSession } from '../store/find-session.js';
import type { SessionKey } from '../store/session-store.js';
import { type BegunTurn, TurnRun, type TurnSessions } from './run-turn.js';
import {
  type CreateIfMissing,
  createIfMissing,
  type GivenMessage,
  readMessage,
  sendGiven,
  sendRefused,
  storedMessage,
} from './send-message.js';
import type { Settings } from './settings.js';
import type { RunOf, TurnOptions } from './turn.js';
import { turnOfClaim } from './turn-of-claim.js';
import type { Reply } from './turn-results.js';
import { replaceState } from './update-state.js';
import { answerIn, type Changes, unanswerable, untilAnswered } from './wait-for-answer.js';

/**
 * Options of `reply`.
 *
 * @example
 * ```ts
 * const run = () => 'How long is it?';
 * const { content } = await sessions.orThrow.reply(id, 'And a tunnel.', run, {
 *   timeoutMs: 5000,
 *   maxSeconds: 120,
 *   messages: 10,
 *   historyLimit: 200,
 * });
 * console.log(content); // How long is it?
 * ```
 */
export interface ReplyOptions extends TurnOptions {
  /** Create and start the session if there is none. Default: fail with `not_found`. */
  readonly create?: CreateIfMissing | undefined;
  /** Maximum milliseconds to wait while another process answers, 0 to 600000. Default: 60000. */
  readonly timeoutMs?: number | undefined;
}

type AnyRun = RunOf<SessionSchemas, TurnSessions>;

const isRun = (run: unknown): run is AnyRun => typeof run === 'function';

type ReplyError = OperationErrors['reply'];

interface Call {
  readonly settings: Settings;
  readonly sessionsOf: (settings: Settings) => TurnSessions;
  readonly key: SessionKey;
  readonly given: GivenMessage;
  readonly run: AnyRun;
  readonly options: ParsedReplyOptions;
  readonly holder: string;
  isSent: boolean;
  /** Whether an earlier call has sent it, until this call has looked for its answer. */
  isRepeated: boolean;
}

type Outcome<T> = Promise<Result<T | undefined, ReplyError>>;

/** The turn that this call may run now, with the message unless it is stored already. */
const claimFor = (call: Call, { state, historyPosition: start }: SessionRecord, now: number) => {
  const { settings, holder, options } = call;
  const { seconds, attempts, messages } = options;
  const current = call.isSent ? state : usedState(sentState(state, now), now);
  const claim = { holder, seconds, attempts, messages, start, random: settings.random() };
  return beginTurn(current, claim, now);
};

/**
 * Sends the message, claims the session and takes what waits, in one step. Undefined if the session
 * was changed since it was read, or the message was sent before.
 */
const begin = async (
  call: Call,
  record: SessionRecord,
  claim: Claim,
  now: number,
): Outcome<BegunTurn> => {
  const { settings, key, given, isSent } = call;
  const { inboxMessages } = settings.policy.limits;
  const answer = await replaceState(settings, key, {
    previous: record.state,
    state: claim.state,
    now,
    guards: { inbox: isSent ? undefined : inboxMessages - 1 },
    effects: { send: isSent ? undefined : storedMessage(given, now), take: claim.take },
  });
  if (answer.isErr()) return err(answer.error);
  const replaced = answer.value;
  if (replaced.outcome === 'refused') return err(sendRefused(settings, key, replaced, now));
  if (replaced.outcome === 'stale') return ok(undefined);
  const { state, changed } = replaced;
  call.isSent = true;
  call.isRepeated = changed.outcome === 'repeated';
  if (call.isRepeated) return ok(undefined);
  settings.recentStates.add(key, state);
  const turn = await turnOfClaim(settings, key, claim, changed.messages);
  const session = sessionAt({ ...record, state }, now);
  return turn.map((begun) => ({ tenant: key.tenant, session, ...begun }));
};

const readOrCreate = async (call: Call): Promise<Result<SessionRecord, ReplyError>> => {
  const { settings, key, options } = call;
  const { create } = options;
  for (let hasCreated = false; ; hasCreated = true) {
    const found = await findSession(settings.store, key, { historyLimit: 0 });
    if (found.isErr()) return err(found.error);
    if (found.value !== undefined) return ok(found.value);
    if (hasCreated || create === undefined) return err(notFound(key.id));
    const created = await createIfMissing(settings, key, create);
    if (created.isErr()) return err(created.error);
  }
};

/** Runs a turn of this call, which may not be that of the message. */
const runTurn = async (
  { settings, sessionsOf, run, options, key, given }: Call,
  turn: BegunTurn,
  changes: Changes,
): Outcome<Reply> => {
  const { maxSeconds, historyLimit, seconds } = options;
  const onDoubt = (check: () => void) => changes.listen(check);
  const how = { run, maxSeconds, historyLimit, seconds, onDoubt };
  const ended = await new TurnRun(settings, sessionsOf, turn, how).end();
  if (ended.isErr() && ended.error.type !== 'cancelled') return err(ended.error);
  // A cancelled turn may have been rewound, which is the better error.
  const answer = await answerIn(settings, key, given.id);
  if (ended.isErr()) return err(answer.isErr() ? answer.error : ended.error);
  return answer.map((found) => found && { ...found, ran: true, ...ended.value });
};

const step = async (call: Call, record: SessionRecord): Outcome<BegunTurn> => {
  const { settings, key, given } = call;
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const { status } = stateAt(record.state, time.value);
  const claim = status === 'ACTIVE' ? claimFor(call, record, time.value) : undefined;
  if (claim?.isOk()) return begin(call, record, claim.value, time.value);
  if (call.isSent) {
    const over = unanswerable(record.state, time.value, key, given.id);
    return over === undefined ? ok(undefined) : err(over);
  }
  const sent = await sendGiven(settings, key, given);
  if (sent.isErr()) return err(sent.error);
  call.isSent = true;
  call.isRepeated = sent.value.repeated === true;
  return ok(undefined);
};

const storedAnswer = async (call: Call): Outcome<Reply> => {
  const repeated = call.isRepeated && { repeated: true as const };
  call.isRepeated = false;
  const answer = await answerIn(call.settings, call.key, call.given.id);
  return answer.map((found) => found && { ...found, ...repeated });
};

const look = async (call: Call, changes: Changes): Outcome<Reply> => {
  const { isSent } = call;
  const read = await readOrCreate(call);
  if (read.isErr()) return err(read.error);
  // The answer is read after the state, whose revision vouches that the turn is still wanted.
  const stored = isSent ? await storedAnswer(call) : ok(undefined);
  if (stored.isErr() || stored.value !== undefined) return stored;
  const begun = await step(call, read.value);
  if (begun.isErr()) return err(begun.error);
  const answer = begun.value ? await runTurn(call, begun.value, changes) : ok(undefined);
  if (answer.isErr() || answer.value !== undefined || isSent) return answer;
  return look(call, changes);
};

export const replyToMessage = async (
  settings: Settings,
  key: SessionKey,
  sessionsOf: (settings: Settings) => TurnSessions,
  message: unknown,
  run: unknown,
  options: unknown,
): Promise<Result<Reply, ReplyError>> => {
  if (!isRun(run)) return err(invalidField('run', 'must be a function'));
  const read = parseReplyOptions(options);
  if (read.isErr()) return err(read.error);
  const prepared = await readMessage(settings, message);
  if (prepared.isErr()) return err(prepared.error);
  const given = prepared.value;
  const holder = `reply-${settings.random().toString(36).slice(2)}`;
  const call: Call = {
    settings,
    sessionsOf,
    key,
    given,
    run,
    options: read.value,
    holder,
    isSent: false,
    isRepeated: false,
  };
  return untilAnswered(settings, {
    key,
    name: given.id,
    timeoutMs: read.value.timeoutMs,
    signal: undefined,
    look: (changes) => look(call, changes),
  });
};
