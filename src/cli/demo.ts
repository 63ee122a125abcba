import { setTimeout } from 'node:timers/promises';
import type { SessionService } from '../service/session-service.js';
import { createWorker } from '../service/worker.js';

/** The session of `serve --demo`. */
export const DEMO_ID = 'demo';

const conversation = [
  { role: 'user', content: 'Hello! Can we do the seven times table?' },
  { role: 'assistant', content: 'Of course. You begin: what is 6 times 7?' },
  { role: 'user', content: 'Hm. 41?' },
  { role: 'tool', content: '{"check":"6*7","result":42}' },
  { role: 'assistant', content: '6 times 5 is 30, and 6 times 2 is 12. What is 30 and 12?' },
];

/** Long enough to kill the process during an answer. */
const THINKING_MS = 3000;

type OnError = (error: { readonly type: string; readonly message: string }) => void;

/** Stores a conversation, unless an earlier start has. */
const store = async (sessions: SessionService, onError: OnError): Promise<void> => {
  const labels = { pupil: 'ada', class: '4b' };
  const stored = await sessions
    .getOrCreate({ id: DEMO_ID, face: 'ada', profile: 'tutor', labels })
    .andThen(() => sessions.append(DEMO_ID, conversation, { operationId: 'demo-conversation' }));
  if (stored.isErr()) onError(stored.error);
};

/**
 * A sample conversation. Messages that are sent to it are answered, including those that a killed
 * process left unanswered.
 */
export const demoOf = (sessions: SessionService, onError: OnError) => {
  const worker = createWorker(sessions, {
    // After a crash, the next start continues within seconds.
    seconds: 5,
    run: async ({ messages, signal }) => {
      await setTimeout(THINKING_MS, undefined, { signal });
      return `You said: ${messages.map(({ content }) => content).join(' ')}`;
    },
    onError,
  });
  return {
    start: async () => {
      await store(sessions, onError);
      worker.start();
    },
    stop: () => worker.stop(),
  };
};
