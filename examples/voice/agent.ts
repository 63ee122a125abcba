// The loop of a voice agent: it listens, answers, stops speaking when the caller begins to speak,
// and hangs up when the session has ended for any reason. All state that must survive a crash is in
// the session.
import { randomUUID } from 'node:crypto';
import {
  type EndReason,
  errAsync,
  type HeldLease,
  type HistoryEntry,
  type OperationErrors,
  type SessionError,
  type SessionService,
} from 'colloquy';

/** Events of the line and the speech recognition. */
export type Heard =
  /** The caller begins to speak. This event comes long before the words. */
  | { readonly type: 'speech' }
  /** The words. After a reconnect, the speech recognition may send them again with the same id. */
  | { readonly type: 'utterance'; readonly id: string; readonly text: string }
  | { readonly type: 'hold' }
  | { readonly type: 'back' }
  | { readonly type: 'hang-up' };

export interface Line {
  /** Ends when the call is dropped or the signal is aborted. */
  listen(signal: AbortSignal): AsyncIterable<Heard>;
  /**
   * Speaks until the end of the text, or until the signal is aborted. Returns the part that the
   * caller has heard.
   */
  speak(text: string, signal: AbortSignal): Promise<string>;
}

export interface Model {
  /** Returns sentence by sentence, so that the first can be spoken while the next is generated. */
  answer(history: readonly HistoryEntry[], signal: AbortSignal): AsyncIterable<string>;
}

/**
 * Why a call is over. After `cut` the session stays open: the next `holdCall`, in any process,
 * continues it.
 */
export type Ending =
  | EndReason
  | 'cut'
  | SessionError['type']
  | OperationErrors['withLease']['type'];

/** Number of latest entries that the model receives. */
const CONTEXT = 40;

export interface Agent {
  readonly sessions: SessionService;
  readonly line: Line;
  readonly model: Model;
}

/**
 * Holds a call while no other process does: one that was here before, and comes back, writes
 * nothing any more. Give the name under which the session was claimed, if it was.
 */
export const holdCall = async (
  agent: Agent,
  id: string,
  holder: string = randomUUID(),
): Promise<Ending> => {
  const lease = { holder, seconds: 10 };
  const held = await agent.sessions.withLease(id, lease, (hold) => converse(agent, id, hold));
  return held.match(
    (ending) => ending,
    ({ type }) => type,
  );
};

const converse = async (
  { line, model }: Agent,
  id: string,
  { sessions, signal: lost }: HeldLease<SessionService>,
): Promise<Ending> => {
  // With an operation id: no error if the session was started before the call was dropped.
  const started = await sessions.start(id, { operationId: 'pick-up' });
  const past = await started.asyncAndThen(() => sessions.history(id, { last: CONTEXT }));
  if (past.isErr()) return past.error.type;

  let ending: Ending = 'cut';
  const call = new AbortController();
  let turn = new AbortController();
  let speaking: Promise<void> = Promise.resolve();
  let { position } = past.value;

  /** Waits for the end of the session, also by a supervisor or the clock. */
  const follow = async (): Promise<void> => {
    for await (const item of sessions.watch(id, { signal: AbortSignal.any([call.signal, lost]) })) {
      if (item.isErr())
        ending = item.error.type; // a talk that cannot be kept is not held
      else if ('session' in item.value) ending = item.value.session.endReason ?? ending;
    }
    call.abort();
  };

  /**
   * With an operation id, each text is appended once, even after a lost reply or by the process
   * that continues the call.
   */
  const keep = (role: string, content: string, operationId: string) => {
    const attempt = () => sessions.append(id, [{ role, content }], { operationId });
    return attempt().orElse((error) =>
      error.type === 'store_unavailable' ? attempt() : errAsync(error),
    );
  };

  /**
   * Appends each sentence when it was heard: a crash loses only the sentence that is being spoken.
   */
  const answer = async (question: number, signal: AbortSignal): Promise<void> => {
    const context = await sessions.history(id, { last: CONTEXT });
    if (context.isErr()) return;
    let sentence = 0;
    for await (const text of model.answer(context.value.entries, signal)) {
      const heard = await line.speak(text, signal);
      if (heard === '') return;
      await keep(
        'assistant',
        heard === text ? heard : `${heard} —`,
        `answer-${question}-${sentence}`,
      );
      if (signal.aborted) return;
      sentence += 1;
    }
  };

  const speak = (): void => {
    turn = new AbortController();
    speaking = answer(position, AbortSignal.any([call.signal, turn.signal])).catch(
      async (cause: unknown) => {
        console.error(cause); // the model or the line is broken: the session says so
        await sessions.fail(id);
      },
    );
  };

  const fallSilent = (): Promise<void> => {
    turn.abort();
    return speaking;
  };

  const following = follow();
  // The process that had the call before did not answer: any entry of the assistant after a question
  // is its answer.
  const last = (author: string) => past.value.entries.findLastIndex(({ role }) => role === author);
  if (last('user') > last('assistant')) speak();
  for await (const heard of line.listen(call.signal)) {
    switch (heard.type) {
      case 'speech':
        await fallSilent(); // what was heard of the answer is kept before what the caller has to say
        break;
      case 'utterance': {
        const kept = await keep('user', heard.text, heard.id);
        // The session has ended, which the watch reports. Or the event was sent again and is
        // already being answered.
        if (kept.isErr() || kept.value.position <= position) break;
        position = kept.value.position;
        await fallSilent();
        speak();
        break;
      }
      case 'hold':
        await fallSilent();
        await sessions.pause(id); // this time does not count
        break;
      case 'back':
        await sessions.resume(id);
        break;
      case 'hang-up':
        await fallSilent();
        await sessions.terminate(id);
        break;
    }
  }
  call.abort();
  await Promise.all([following, speaking]);
  return ending;
};
