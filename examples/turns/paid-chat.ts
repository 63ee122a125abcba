import { createSweeper, createWorker, type HistoryEntry, type SessionService } from 'colloquy';

interface Answer {
  readonly text: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

type Ask = (history: readonly HistoryEntry[], signal: AbortSignal) => Promise<Answer>;

/** Of $1.25 and $10 per million tokens, in micro-dollars. */
const priceOf = ({ inputTokens, outputTokens }: Answer): number =>
  Math.ceil(inputTokens * 1.25 + outputTokens * 10);

/** A chat that stops at $1.50. */
export const openPaidChat = (sessions: SessionService, id: string) =>
  sessions.orThrow.getOrCreate({ id, budget: { microUsd: 1_500_000 } });

export const paidWorker = (sessions: SessionService, askModel: Ask) =>
  createWorker(sessions, {
    run: async ({ history, signal }) => {
      const answer = await askModel(history, signal);
      return { entries: answer.text, usage: { microUsd: priceOf(answer) } };
    },
  });

/** Calls `warn` when 80% is spent, and returns when the chat has ended. */
export const warnBeforeEnd = async (sessions: SessionService, id: string, warn: () => void) => {
  for await (const item of sessions.orThrow.watch(id, { historyLimit: 0, warnAt: 0.8 }))
    if (item.type === 'session.expiring' && item.counter === 'microUsd') warn();
};

/** The store needs `reportEnds`. `charge` may be called again with the same key. */
export const billing = (
  sessions: SessionService,
  charge: (microUsd: number, key: string) => Promise<void>,
) =>
  createSweeper(sessions, {
    onEnded: ({ tenant, id, endedAt, usage }) =>
      charge(usage?.['microUsd'] ?? 0, `${tenant}:${id}:${endedAt}`),
  });
