import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { signal } from '../schema/host-values.js';
import { object } from '../schema/object.js';
import { inputOf } from '../schema/read-input.js';
import { optional } from '../schema/schema.js';
import { number } from '../schema/values.js';
import type { Reply } from '../service/turn-results.js';
import type { WatchSignal } from '../session/session-event.js';
import type { RemoteErrors } from './client-error.js';
import type { ClientSettings } from './session-client-options.js';
import { sleep } from './unless-interrupted.js';

type Answered<T> = Result<T, RemoteErrors['answer']>;

/** Asks once, for at most so many milliseconds. */
type Ask = (
  timeoutMs: number,
  signal: WatchSignal | undefined,
) => ResultAsync<Omit<Reply, 'ran'>, RemoteErrors['answer']>;

/** The service waits for this part of an attempt, so that its refusal arrives in time. */
const WAITING_PART = 0.8;

const MAX_TIMEOUT_MS = 600_000;

const timeout = optional(number(0, MAX_TIMEOUT_MS), 60_000);

const parseOptions = inputOf('options', object({ signal, timeoutMs: timeout }));

const FIRST_DELAY_MS = 200;

/**
 * Asks for an answer until it is there or the time is over. A service that refuses early stops, or
 * the session is over: it is asked again as often as after a failure.
 */
export const awaitAnswer = async (
  { timing, attemptTimeoutMs, timeoutMs, retries }: ClientSettings,
  options: unknown,
  ask: Ask,
): Promise<Answered<Reply>> => {
  const given = parseOptions(options);
  if (given.isErr()) return err(given.error);
  const { signal, timeoutMs: total } = given.value;
  const most = WAITING_PART * Math.min(attemptTimeoutMs, timeoutMs);
  const deadline = timing.now() + total;
  let failures = 0;
  for (let isFirst = true; ; isFirst = false) {
    const asked = timing.now();
    const wait = Math.floor(Math.max(0, Math.min(most, deadline - asked)));
    const answer: Answered<Omit<Reply, 'ran'>> = await ask(wait, signal);
    if (answer.isOk()) {
      const { repeated, ...said } = answer.value;
      return ok({ ...said, ran: false, ...(isFirst && repeated && { repeated }) });
    }
    const isEarly = timing.now() - asked < wait / 2;
    const isOver = timing.now() >= deadline || (isEarly && failures === retries);
    if (answer.error.type !== 'not_answered' || isOver) return err(answer.error);
    if (!isEarly) continue;
    await sleep({ timing, ms: FIRST_DELAY_MS * 2 ** failures, signal });
    failures += 1;
  }
};
