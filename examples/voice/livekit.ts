// A call over LiveKit Agents, which hears, answers and speaks by itself: what it has added to its
// conversation is kept in a session. https://docs.livekit.io/reference/agents/events
import { type SessionService, unwrap } from 'colloquy';

/** A part of a conversation. */
export interface LiveKitItem {
  readonly id: string;
  readonly role: string;
  readonly textContent?: string;
  readonly interrupted: boolean;
}

/** What is needed of `voice.AgentSession`. */
export interface LiveKitEvents {
  on(
    event: 'conversation_item_added',
    listener: (event: { readonly item: LiveKitItem }) => void,
  ): unknown;
  on(
    event: 'user_state_changed',
    listener: (event: { readonly newState: string }) => void,
  ): unknown;
  on(event: 'close', listener: (event: { readonly reason: string }) => void): unknown;
}

/** Keeps a call until it is closed. `failed` gets what could not be stored. */
export const keepLiveKit = (
  call: LiveKitEvents,
  sessions: SessionService,
  id: string,
  failed: (error: unknown) => void,
): Promise<void> => {
  // One write after another, in the order of the events. Each is caught: an error that nobody
  // awaits would end the process.
  let writes: Promise<unknown> = Promise.resolve();
  const next = (write: () => Promise<unknown>): void => {
    writes = writes.then(write).catch(failed);
  };
  next(() => unwrap(sessions.start(id, { operationId: 'pick-up' })));
  call.on(
    'conversation_item_added',
    ({ item: { id: itemId, role, textContent = '', interrupted } }) => {
      const entry = { role, content: textContent, id: itemId, data: { interrupted } };
      // LiveKit's id makes it safe to be told of an item twice.
      next(() => unwrap(sessions.append(id, [entry], { operationId: itemId })));
    },
  );
  // A caller who is away costs no time of the session. A session that is not paused stays as it is.
  call.on('user_state_changed', ({ newState }) => {
    next(async () => (newState === 'away' ? sessions.pause(id) : sessions.resume(id)));
  });
  return new Promise((resolve) => {
    call.on('close', ({ reason }) => {
      next(() => unwrap(reason === 'error' ? sessions.fail(id) : sessions.terminate(id)));
      void writes.then(() => resolve());
    });
  });
};
