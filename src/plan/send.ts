import type { SessionKey } from '../session/session-key.js';
import type { MessageToStore, UseChange } from '../store/commit.js';

export interface Sending {
  readonly message: MessageToStore;
  readonly now: number;
  /** Maximum number of messages that wait, with this one. */
  readonly maxMessages: number;
  readonly revision: number;
}

/** Puts a message into the inbox of a session that is ACTIVE or PAUSED, which uses the session. */
export const planSend = (
  key: SessionKey,
  { message, now, maxMessages, revision }: Sending,
): UseChange => ({
  key,
  guards: { open: now, inbox: maxMessages - 1 },
  effects: {
    send: { ...message, at: now, revision },
    activity: now,
    events: [{ type: 'sent', at: now }],
  },
});
