import { err, ok, type Result } from 'neverthrow';
import { type ParsedReplyOptions, parseReplyOptions } from '../input/turn-options.js';
import { invalidField, notAnswered, notFound } from '../session/errors.js';
import type { OperationErrors } from '../session/operation-errors.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionRecord } from '../session/session-record.js';
import type { SessionSchemas } from '../session/session-schemas.js';
import { stateAt, usedState } from '../session/state-at.js';
import { beginTurn, type Claim, sentState } from '../session/turn-state.js';
import { findSession } from '../store/find-session.js';
import type { SessionKey } from '../store/session-store.js';
import { answerIn, Changes, unanswerable } from './answers.js';
import {
  type CreateIfMissing,
  createIfMissing,
  type GivenMessage,
  readMessage,
  sendGiven,
  sendRefused,
  storedMessage,
} from './messages.js';
import { type BegunTurn, TurnRun, type TurnSessions } from './run-turn.js';
import type { Settings } from './settings.js';
import type { RunOf, TurnOptions } from './turn.js';
import { takeOf, turnOfClaim } from './turn-commits.js';
import type { Reply } from './turn-results.js';
import { replaceState } from './update-state.js';

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
  /** Creates and starts the session if there is none. Default: `not_found`. */
  readonly create?: CreateIfMissing | undefined;
  /**
   * Milliseconds to wait at most while another process answers, 0 to 600000. Default: 60000.
   */
  readonly timeoutMs?: number | undefined;
}

type AnyRun = RunOf<SessionSchemas, TurnSessions>;

const isRun = (run: unknown): run is AnyRun => typeof run === 'function';

type ReplyError = OperationErrors['reply'];

/** A reply that is under way. */
interface Call {
  readonly settings: Settings;
  readonly sessionsOf: (settings: Settings) => TurnSessions;
  readonly key: SessionKey;
  readonly given: GivenMessage;
  readonly run: AnyRun;
  readonly options: ParsedReplyOptions;
  readonly holder: string;
  readonly changes: Changes;
  /** Whether the message is stored. */
  isSent: boolean;
  /** Whether an earlier call has sent it. */
  isRepeated: boolean;
  /** Whether this call has looked for the answer. */
  hasLooked: boolean;
}

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
): Promise<Result<BegunTurn | undefined, ReplyError>> => {
  const { settings, key, given } = call;
  const { inboxMessages } = settings.policy.limits;
  const step = {
    guards: call.isSent ? {} : { inbox: inboxMessages - 1 },
    effects: {
      send: call.isSent ? undefined : storedMessage(given, now),
      take: takeOf(claim),
    },
  };
  const change = { previous: record.state, decided: claim.state, now, step };
  const replaced = await replaceState(settings, key, change);
  if (replaced.isErr()) return err(replaced.error);
  if (replaced.value.outcome === 'refused')
    return err(sendRefused(settings, key, replaced.value.refusal, now));
  if (replaced.value.outcome !== 'replaced') return ok(undefined);
  const { state, changed } = replaced.value;
  if (changed.outcome === 'repeated') call.isRepeated = true;
  call.isSent = true;
  if (changed.outcome === 'repeated') return ok(undefined);
  settings.recentStates.add(key, state);
  const turn = await turnOfClaim(settings, key, claim, changed.messages);
  const session = sessionAt({ ...record, state }, now);
  return turn.map((begun) => ({ tenant: key.tenant, session, ...begun }));
};

/** The session, which is created if it is missing and the caller wishes so. */
const readSession = async (call: Call): Promise<Result<SessionRecord, ReplyError>> => {
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

/** The end of a turn of this call: the answer, an error, or undefined if others come first. */
const runTurn = async (
  { settings, sessionsOf, run, options, changes, key, given }: Call,
  turn: BegunTurn,
): Promise<Result<Reply | undefined, ReplyError>> => {
  const { maxSeconds, historyLimit, seconds } = options;
  const onDoubt = (check: () => void) => changes.listen(check);
  const how = { run, maxSeconds, historyLimit, seconds, onDoubt };
  const { released, failure } = await new TurnRun(settings, sessionsOf, turn, how).end();
  const error = failure ?? (released.isErr() ? released.error : undefined);
  if (error !== undefined && error.type !== 'cancelled') return err(error);
  // A cancelled turn may have been rewound, which is the better error.
  const answer = await answerIn(settings, key, given.id);
  if (error !== undefined) return err(answer.isErr() ? answer.error : error);
  return answer.map((found) => found && { ...found, ran: true, ...released.unwrapOr({}) });
};

/** Begins a turn if nobody has the session; otherwise sends the message alone. */
const step = async (
  call: Call,
  record: SessionRecord,
): Promise<Result<BegunTurn | undefined, ReplyError>> => {
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

/** The stored answer; undefined if it may still come. */
const storedAnswer = async (call: Call): Promise<Result<Reply | undefined, ReplyError>> => {
  const { settings, key, given, isRepeated, hasLooked } = call;
  call.hasLooked = true;
  const answer = await answerIn(settings, key, given.id);
  const repeated = isRepeated && !hasLooked && { repeated: true as const };
  return answer.map((found) => found && { ...found, ...repeated });
};

/** The answer by now; undefined if it may still come. */
const pass = async (call: Call): Promise<Result<Reply | undefined, ReplyError>> => {
  const read = await readSession(call);
  if (read.isErr()) return err(read.error);
  // The answer is read after the state, whose revision vouches that the turn is still wanted.
  const answer = call.isSent ? await storedAnswer(call) : ok(undefined);
  if (answer.isErr() || answer.value !== undefined) return answer;
  const begun = await step(call, read.value);
  if (begun.isErr()) return err(begun.error);
  return begun.value === undefined ? ok(undefined) : runTurn(call, begun.value);
};

const replyTo = async (call: Call): Promise<Result<Reply, ReplyError>> => {
  const { settings, key, given, options, changes } = call;
  const { timeoutMs } = options;
  const begun = settings.now();
  if (begun.isErr()) return err(begun.error);
  for (;;) {
    await changes.open();
    const wasSent = call.isSent;
    const answer = await pass(call);
    if (answer.isErr()) return err(answer.error);
    if (answer.value !== undefined) return ok(answer.value);
    const time = settings.now();
    if (time.isErr()) return err(time.error);
    const left = begun.value + timeoutMs - time.value;
    // The error says that the message waits.
    if (left <= 0 && call.isSent)
      return err(notAnswered(key.id, given.id, `within ${timeoutMs} ms`));
    if (wasSent) await changes.next(left);
  }
};

/** Sends a message, then runs the turn that answers it, or waits while another process does. */
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
  const given = await readMessage(settings, message);
  if (given.isErr()) return err(given.error);
  const changes = new Changes(settings, key);
  const holder = `reply-${settings.random().toString(36).slice(2)}`;
  try {
    return await replyTo({
      ...{ settings, sessionsOf, key, run, holder, changes },
      given: given.value,
      options: read.value,
      isSent: false,
      isRepeated: false,
      hasLooked: false,
    });
  } finally {
    changes.close();
  }
};
