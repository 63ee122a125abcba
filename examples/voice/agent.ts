// The loop of a voice agent: it listens, answers each utterance in a turn, stops speaking when the
// caller begins to speak, and hangs up when the session has ended for any reason. All state that must
// survive a crash is in the session.
import {
  type EndReason,
  errAsync,
  type HistoryEntry,
  type OperationErrors,
  type SessionError,
  type SessionService,
  type Turn,
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
export type Ending = EndReason | 'cut' | SessionError['type'] | OperationErrors['start']['type'];

/** A turn has a lease of ten seconds, and the model receives the latest 40 entries. */
const options = { seconds: 10, historyLimit: 40 };

export interface Agent {
  readonly sessions: SessionService;
  readonly line: Line;
  readonly model: Model;
}

/**
 * Speaks sentence by sentence until it is over: what was heard is the answer. After a `cancel` or an
 * end of the session too, if it comes within five seconds or the grace period.
 */
const speak = async (
  { line, model }: Agent,
  history: readonly HistoryEntry[],
  over: AbortSignal,
): Promise<readonly string[]> => {
  const said: string[] = [];
  for await (const text of model.answer(history, over)) {
    const heard = await line.speak(text, over);
    if (heard !== '') said.push(heard === text ? text : `${heard} —`);
    if (over.aborted) break;
  }
  return said;
};

/**
 * Holds a call. Any number of processes may hold one by mistake: each utterance is answered once, and
 * by one process.
 */
export const holdCall = async (agent: Agent, id: string): Promise<Ending> => {
  const { sessions, line } = agent;
  // With an operation id: no error if the session was started before the call was dropped.
  const started = await sessions.start(id, { operationId: 'pick-up' });
  const past = await started.asyncAndThen(() =>
    sessions.history(id, { last: options.historyLimit }),
  );
  if (past.isErr()) return past.error.type;
  const last = past.value.entries.findLast(({ message }) => message);

  let ending: Ending = 'cut';
  const call = new AbortController();
  let quiet = new AbortController();
  let answering: Promise<void> = Promise.resolve();
  let answered = last?.id;

  /** Waits for the end of the session, also by a supervisor or the clock. */
  const follow = async (): Promise<void> => {
    for await (const item of sessions.watch(id, { signal: call.signal })) {
      if (item.isErr())
        ending = item.error.type; // a talk that cannot be kept is not held
      else if ('session' in item.value) ending = item.value.session.endReason ?? ending;
    }
    call.abort();
  };

  /** The message is stored and answered once, also by the process that continues the call. */
  const answer = async (message: { readonly id: string; readonly content: string }) => {
    quiet = new AbortController();
    const silence = AbortSignal.any([call.signal, quiet.signal]);
    const run = async ({ history, signal }: Turn) => {
      const said = await speak(agent, history, AbortSignal.any([signal, silence]));
      // The attempt fails: the message is still to be answered.
      if (said.length === 0) call.signal.throwIfAborted();
      return said;
    };
    const attempt = () => sessions.reply(id, message, run, options);
    const replied = await attempt().orElse((error) =>
      error.type === 'store_unavailable' ? attempt() : errAsync(error),
    );
    if (replied.isOk() || replied.error.type !== 'callback_failed' || call.signal.aborted) return;
    console.error(replied.error.cause); // the model or the line is broken: the session says so
    await sessions.fail(id);
  };

  const fallSilent = (): Promise<void> => {
    quiet.abort();
    return answering;
  };

  const following = follow();
  // The process that had the call before may have died. A message that was answered is not answered
  // again.
  if (last?.id !== undefined) answering = answer({ id: last.id, content: last.content });
  for await (const heard of line.listen(call.signal)) {
    switch (heard.type) {
      case 'speech':
        await fallSilent(); // what was heard of the answer is kept before what the caller has to say
        break;
      case 'utterance':
        if (heard.id === answered) break;
        answered = heard.id;
        await fallSilent();
        answering = answer({ id: heard.id, content: heard.text });
        break;
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
  await Promise.all([following, answering]);
  return ending;
};
