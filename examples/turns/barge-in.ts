import type { HistoryEntry, SessionService } from 'colloquy';

/** A call: `speak` resolves with what was heard, to the end or up to an interruption. */
export interface Call {
  readonly id: string;
  speak(text: string): Promise<string>;
  interrupt(): void;
}

type Ask = (history: readonly HistoryEntry[], signal: AbortSignal) => Promise<string>;

/** Answers what the caller has said. What was heard of the answer is what is stored. */
export const hear = (
  sessions: SessionService,
  call: Call,
  message: { readonly id: string; readonly content: string },
  askModel: Ask,
) => {
  call.interrupt(); // barge-in: the turn before ends with what was heard
  const answer = sessions.reply(
    call.id,
    message,
    async ({ history, signal }) => {
      const whole = await askModel(history, signal);
      const heard = await call.speak(whole);
      return heard === whole ? whole : { content: `${heard} —`, data: { whole } };
    },
    { create: true },
  );
  return answer;
};
