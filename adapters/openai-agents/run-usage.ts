import { type TokenUsage, tokenUsage } from '../sdk/token-usage.js';

/** The part of the SDK's `RunContext` that a session reads. */
export interface AgentContext {
  /** What the run has used so far. */
  readonly usage: {
    /** Tokens of the input. */
    readonly inputTokens: number;
    /** Tokens of the output. */
    readonly outputTokens: number;
    /** Tokens of both. */
    readonly totalTokens: number;
    /** More about the input of each model call, for example `cached_tokens`. */
    readonly inputTokensDetails: readonly Readonly<Record<string, number>>[];
  };
}

export const none = tokenUsage(0, 0, 0, 0);

const usageIn = ({ usage }: AgentContext): TokenUsage => {
  const { inputTokens, outputTokens, totalTokens, inputTokensDetails } = usage;
  const cached = inputTokensDetails.reduce((sum, { cached_tokens: each = 0 }) => sum + each, 0);
  return tokenUsage(inputTokens, outputTokens, totalTokens, cached);
};

/** Adds `times` a second usage to the first; no sum is below 0. */
export const sumOf = (one: TokenUsage, other: TokenUsage, times = 1): TokenUsage =>
  tokenUsage(
    one.inputTokens + times * other.inputTokens,
    one.outputTokens + times * other.outputTokens,
    one.tokens + times * other.tokens,
    one.cachedTokens + times * other.cachedTokens,
  );

/** What runs have used, of which each token is counted once. */
export class RunUsage {
  readonly #counted = new WeakMap<AgentContext, TokenUsage>();

  /** Leaves out what a run has used before it read its session, for example before an approval. */
  begin(context: AgentContext | undefined): void {
    if (context !== undefined && !this.#counted.has(context))
      this.#counted.set(context, usageIn(context));
  }

  /** What a run has used since it was counted last, and a function that counts this. */
  next(context: AgentContext | undefined): {
    readonly used: TokenUsage;
    readonly count: () => void;
  } {
    if (context === undefined) return { used: none, count: () => undefined };
    const now = usageIn(context);
    const used = sumOf(now, this.#counted.get(context) ?? none, -1);
    return { used, count: () => void this.#counted.set(context, now) };
  }
}
