// The loop of a voice agent: it listens, answers, falls silent when the caller begins to speak, and hangs up when the
// session has ended, whoever has ended it. All that must outlive a crash is in the session; nothing else is kept.
import type { EndReason, HistoryEntry, SessionError, SessionService } from 'colloquy';
import { errAsync } from 'neverthrow';

/** What comes from the line and its recogniser. */
export type Heard =
  /** The caller begins to speak. It is known long before the words are. */
  | { readonly type: 'speech' }
  /** What was said. A recogniser that comes back after a break may send it again, under the same id. */
  | { readonly type: 'utterance'; readonly id: string; readonly text: string }
  | { readonly type: 'hold' }
  | { readonly type: 'back' }
  | { readonly type: 'hang-up' };

export interface Line {
  /** Ends when the line is cut, or when the signal is aborted. */
  listen(signal: AbortSignal): AsyncIterable<Heard>;
  /** Speaks until all is said or the signal is aborted. Gives what the caller has heard of it. */
  speak(text: string, signal: AbortSignal): Promise<string>;
}

export interface Model {
  /** Sentence by sentence, so that the first can be spoken while the next is made. */
  answer(history: readonly HistoryEntry[], signal: AbortSignal): AsyncIterable<string>;
}

/** Why a call is over. `cut`: the session goes on, and whoever calls `holdCall` again, here or elsewhere, takes it up. */
export type Ending = EndReason | 'cut' | SessionError['type'];

/** Entries that the model is given. */
const CONTEXT = 40;

export const holdCall = async (
  { sessions, line, model }: { readonly sessions: SessionService; readonly line: Line; readonly model: Model },
  id: string,
): Promise<Ending> => {
  // Named, so that it is no error where the session was started before the line was cut.
  const started = await sessions.start(id, { operationId: 'pick-up' });
  const past = await started.asyncAndThen(() => sessions.history(id, { last: 1 }));
  if (past.isErr()) return past.error.type;

  let ending: Ending = 'cut';
  const call = new AbortController();
  let turn = new AbortController();
  let speaking: Promise<void> = Promise.resolve();
  let { position } = past.value;

  /** Hears of the end, also where a supervisor or the clock makes it. */
  const follow = async (): Promise<void> => {
    for await (const item of sessions.watch(id, { signal: call.signal })) {
      if (item.isErr())
        ending = item.error.type; // a talk that cannot be kept is not held
      else if (item.value.type === 'session.terminated') ending = item.value.endReason;
      else if (item.value.type === 'session.snapshot' && item.value.session.status === 'TERMINATED') {
        ending = item.value.session.endReason;
      }
    }
    call.abort();
  };

  /** Under its name it is kept once, however often that is tried: after a lost answer, or by whoever takes the call up. */
  const keep = (role: string, content: string, operationId: string) => {
    const attempt = () => sessions.append(id, [{ role, content }], { operationId });
    return attempt().orElse((error) => (error.type === 'store_unavailable' ? attempt() : errAsync(error)));
  };

  /** Each sentence is kept when it was heard: a crash takes the one that is being spoken, and no other. */
  const answer = async (question: number, signal: AbortSignal): Promise<void> => {
    const context = await sessions.history(id, { last: CONTEXT });
    if (context.isErr()) return;
    let sentence = 0;
    for await (const text of model.answer(context.value.entries, signal)) {
      const heard = await line.speak(text, signal);
      if (heard === '') return;
      await keep('assistant', heard === text ? heard : `${heard} —`, `answer-${question}-${sentence}`);
      if (signal.aborted) return;
      sentence += 1;
    }
  };

  const speak = (): void => {
    turn = new AbortController();
    speaking = answer(position, AbortSignal.any([call.signal, turn.signal])).catch(async (cause: unknown) => {
      console.error(cause); // the model or the line is broken: the session says so
      await sessions.fail(id);
    });
  };

  const fallSilent = (): Promise<void> => {
    turn.abort();
    return speaking;
  };

  const following = follow();
  // Whoever held the call before has not answered.
  if (past.value.entries[0]?.role === 'user') speak();
  for await (const heard of line.listen(call.signal)) {
    switch (heard.type) {
      case 'speech':
        await fallSilent(); // what was heard of the answer is kept before what the caller has to say
        break;
      case 'utterance': {
        const kept = await keep('user', heard.text, heard.id);
        // It has ended meanwhile, which the watch tells. Or it was sent again: it is known, and being answered.
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
