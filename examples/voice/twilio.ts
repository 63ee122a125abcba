// A call over Twilio ConversationRelay, which hears and speaks: its messages are what the caller has said, and how much of an
// answer was heard. https://www.twilio.com/docs/voice/conversationrelay/websocket-messages
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

/** Keeps a call and answers it. Gives the id of its session: the same if Twilio opens another socket for the call. */
export const answerTwilio = async (socket: TwilioSocket, sessions: SessionService, model: Model): Promise<string> => {
  let id = '';
  let turn = new AbortController();
  let answering: Promise<unknown> = Promise.resolve();
  /** The answer that is being played, and the position that it follows. */
  let playing = { text: '', after: 0 };

  const answer = async (signal: AbortSignal): Promise<void> => {
    const { entries, position } = await unwrap(sessions.history(id, { last: 40 }));
    playing = { text: '', after: position };
    for await (const sentence of model.answer(entries, signal)) {
      socket.send({ type: 'text', token: `${sentence} `, last: false });
      playing.text += `${sentence} `;
    }
    if (signal.aborted) return;
    socket.send({ type: 'text', token: '', last: true });
    await unwrap(sessions.append(id, [{ role: 'assistant', content: playing.text.trim() }], { ifPosition: position }));
  };

  const fallSilent = (): Promise<unknown> => {
    turn.abort();
    return answering;
  };

  for await (const message of socket) {
    if (message.type === 'setup') {
      const { callSid, from } = message;
      const call = { face: 'phone', profile: 'guide', labels: { caller: from }, idempotencyKey: callSid, start: true };
      ({ id } = await unwrap(sessions.create(call)));
    } else if (message.type === 'prompt') {
      await fallSilent();
      await unwrap(sessions.append(id, [{ role: 'user', content: message.voicePrompt }]));
      turn = new AbortController();
      answering = answer(turn.signal);
    } else {
      await fallSilent();
      // What was heard of the answer takes its place, whether the whole of it is in the history already or not.
      const heard = {
        role: 'assistant',
        content: `${message.utteranceUntilInterrupt} —`,
        data: { whole: playing.text },
      };
      await unwrap(sessions.append(id, [heard], { after: playing.after }));
    }
  }
  await fallSilent();
  await unwrap(sessions.terminate(id));
  return id;
};
