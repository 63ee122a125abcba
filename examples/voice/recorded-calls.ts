// Calls as Twilio and LiveKit send them, with the milliseconds before each message.
import { EventEmitter } from 'node:events';
import type { LiveKitItem } from './livekit.js';
import type { ScriptedClock } from './scripted-clock.js';
import type { TwilioMessage, TwilioSocket } from './twilio.js';

const twilioMessages: readonly (readonly [number, TwilioMessage])[] = [
  [0, { type: 'setup', callSid: 'CA1', from: '+14155550100' }],
  [900, { type: 'prompt', voicePrompt: 'What is a session?' }],
  [2500, { type: 'interrupt', utteranceUntilInterrupt: 'One talk with' }],
  [600, { type: 'prompt', voicePrompt: 'And when its time is up?' }],
  [3000, { type: 'prompt', voicePrompt: 'Thank you.' }],
  [1000, { type: 'interrupt', utteranceUntilInterrupt: 'I did' }],
];

/** A socket of Twilio, of which the caller hangs up in the end. */
export const twilioSocket = (clock: ScriptedClock): TwilioSocket => ({
  send: () => {},
  async *[Symbol.asyncIterator]() {
    for (const [after, message] of twilioMessages) {
      await clock.wait(after);
      yield message;
    }
  },
});

const question: LiveKitItem = {
  id: 'item_1',
  role: 'user',
  textContent: 'What is a session?',
  interrupted: false,
};
const answer: LiveKitItem = {
  id: 'item_2',
  role: 'assistant',
  textContent: 'One talk',
  interrupted: true,
};

const liveKitEvents = [
  [700, 'conversation_item_added', { item: question }],
  [2000, 'conversation_item_added', { item: answer }],
  [0, 'conversation_item_added', { item: answer }], // told twice
  [1000, 'user_state_changed', { newState: 'away' }],
  [30_000, 'user_state_changed', { newState: 'speaking' }],
  [1000, 'close', { reason: 'participant_disconnected' }],
] as const;

/** A call of LiveKit Agents. */
export class LiveKitCall extends EventEmitter {
  async play(clock: ScriptedClock): Promise<void> {
    for (const [after, event, detail] of liveKitEvents) {
      await clock.wait(after);
      this.emit(event, detail);
    }
  }
}
