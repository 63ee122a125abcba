// A call over Twilio ConversationRelay, which hears and speaks: its messages are what the caller
// has said, and how much of an answer was heard.
// https://www.twilio.com/docs/voice/conversationrelay/websocket-messages
import type { PositionedEntry, SessionService, Turn } from 'colloquy';
import type { Model } from './agent.js';

/** The messages that count here. Others are passed over. */
export type TwilioMessage =
  | { readonly type: 'setup'; readonly callSid: string; readonly from: string }
  | { readonly type: 'prompt'; readonly voicePrompt: string }
  | { readonly type: 'interrupt'; readonly utteranceUntilInterrupt: string };

/** The WebSocket that Twilio has opened: its messages as they come, to its end. */
export interface TwilioSocket extends AsyncIterable<TwilioMessage> {
  send(message: { readonly type: 'text'; readonly token: string; readonly last: boolean }): void;
}

/** An answer that is being generated or played. */
interface Answer {
  text: string;
  /** What the caller has heard of it, if it was interrupted. */
  heard?: string;
  readonly over: AbortController;
  /** Its entry, once it is stored. */
  entry?: PositionedEntry | undefined;
}

const newAnswer = (): Answer => ({ text: '', over: new AbortController() });

/** What is stored of an answer; nothing if not a word was said. */
const entriesOf = ({ text, heard }: Answer) => {
  const whole = text.trim();
  if (heard !== undefined) return [{ role: 'assistant', content: `${heard} —`, data: { whole } }];
  return whole === '' ? [] : [{ role: 'assistant', content: whole }];
};

/**
 * Keeps a call and answers it. Gives the id of its session: the same if Twilio opens another socket
 * for the call. `failed` gets what could not be answered or stored; the call goes on. Rejects if
 * its session cannot be created or ended.
 */
export const answerTwilio = async (
  socket: TwilioSocket,
  { orThrow: sessions }: SessionService,
  model: Model,
  failed: (error: unknown) => void,
): Promise<string> => {
  let id = '';
  let playing = newAnswer();
  let answering: Promise<unknown> = Promise.resolve();

  const speak = async ({ history, signal }: Turn, said: Answer) => {
    const over = AbortSignal.any([signal, said.over.signal]);
    for await (const sentence of model.answer(history, over)) {
      socket.send({ type: 'text', token: `${sentence} `, last: false });
      said.text += `${sentence} `;
    }
    if (!over.aborted) socket.send({ type: 'text', token: '', last: true });
    return entriesOf(said);
  };

  /**
   * A question that comes during an answer waits for the next turn, which answers all that wait.
   */
  const hear = async (question: string): Promise<void> => {
    playing.over.abort();
    playing = newAnswer();
    let said: Answer | undefined;
    const run = (turn: Turn) => {
      said = playing = newAnswer();
      return speak(turn, said);
    };
    const { entries } = await sessions.reply(id, question, run, { historyLimit: 40 });
    if (said) said.entry = entries.at(-1);
  };

  const interrupt = async (heard: string): Promise<void> => {
    // About an answer before: it comes late, and the answer to the question since goes on.
    if (playing.text === '' || !playing.text.startsWith(heard)) return;
    const said = Object.assign(playing, { heard });
    said.over.abort();
    playing = newAnswer();
    await answering;
    const { entry } = said;
    if (entry === undefined || entry.data !== undefined) return;
    // The whole is stored already. What was heard takes its place, unless others, for example a
    // supervisor, have added entries since: these must stay.
    const { position } = entry;
    const { start: to } = await sessions.history(id, { before: position, limit: 1 });
    const entries = entriesOf(said);
    await sessions.rewind(id, { to, entries, ifPosition: position }).catch((error) => {
      if (error.type !== 'history_moved') throw error;
      return sessions.append(id, entries);
    });
  };

  try {
    for await (const message of socket) {
      if (message.type === 'setup') {
        const { callSid, from } = message;
        const call = {
          face: 'phone',
          profile: 'guide',
          labels: { caller: from },
          idempotencyKey: callSid,
          start: true,
        };
        ({ id } = await sessions.create(call));
      } else if (message.type === 'prompt') {
        answering = Promise.all([answering, hear(message.voicePrompt).catch(failed)]);
      } else {
        await interrupt(message.utteranceUntilInterrupt).catch(failed);
      }
    }
  } finally {
    playing.over.abort();
    await answering;
  }
  await sessions.terminate(id);
  return id;
};
