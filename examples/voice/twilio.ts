// A call over Twilio ConversationRelay, which hears and speaks: its messages are what the caller
// has said, and how much of an answer was heard.
// https://www.twilio.com/docs/voice/conversationrelay/websocket-messages
import { type SessionService, unwrap } from 'colloquy';
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

/** An answer that is being played. */
interface Answer {
  text: string;
  /** Its position in the history, once it has been said to its end. */
  position?: number;
}

/**
 * Keeps a call and answers it. Gives the id of its session: the same if Twilio opens another socket
 * for the call. `failed` gets what could not be answered or stored; the call goes on. Rejects if
 * its session cannot be created or ended.
 */
export const answerTwilio = async (
  socket: TwilioSocket,
  sessions: SessionService,
  model: Model,
  failed: (error: unknown) => void,
): Promise<string> => {
  let id = '';
  let turn = new AbortController();
  let answering: Promise<void> = Promise.resolve();
  let playing: Answer = { text: '' };

  const answer = async (signal: AbortSignal, said: Answer): Promise<void> => {
    const { entries } = await unwrap(sessions.history(id, { last: 40 }));
    for await (const sentence of model.answer(entries, signal)) {
      socket.send({ type: 'text', token: `${sentence} `, last: false });
      said.text += `${sentence} `;
    }
    if (signal.aborted) return;
    socket.send({ type: 'text', token: '', last: true });
    const entry = { role: 'assistant', content: said.text.trim() };
    ({ position: said.position } = await unwrap(sessions.append(id, [entry])));
  };

  const fallSilent = (): Promise<void> => {
    turn.abort();
    return answering;
  };

  const hear = async (question: string): Promise<void> => {
    await fallSilent();
    playing = { text: '' };
    await unwrap(sessions.append(id, [{ role: 'user', content: question }]));
    turn = new AbortController();
    answering = answer(turn.signal, playing).catch(failed); // an error that nobody awaits would end the process
  };

  const interrupt = async (heard: string): Promise<void> => {
    // About an answer before: it comes late, and the answer to the question since goes on.
    if (playing.text === '' || !playing.text.startsWith(heard)) return;
    await fallSilent();
    const { text, position } = playing;
    playing = { text: '' };
    const entry = { role: 'assistant', content: `${heard} —`, data: { whole: text.trim() } };
    if (position !== undefined) {
      // It takes the place of the whole, unless others, such as a supervisor, have added entries
      // since: these must stay.
      const rewound = await sessions.rewind(id, {
        to: position - 1,
        entries: [entry],
        ifPosition: position,
      });
      if (rewound.isOk()) return;
      if (rewound.error.type !== 'history_moved') return failed(rewound.error);
    }
    await unwrap(sessions.append(id, [entry]));
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
        ({ id } = await unwrap(sessions.create(call)));
      } else if (message.type === 'prompt') {
        await hear(message.voicePrompt).catch(failed);
      } else {
        await interrupt(message.utteranceUntilInterrupt).catch(failed);
      }
    }
  } finally {
    await fallSilent();
  }
  await unwrap(sessions.terminate(id));
  return id;
};
