import { type TokenUsage, tokenUsage } from '../sdk/token-usage.js';

/** The parts of `LanguageModelUsage` of `ai` 6 and `ai` 7 that are counted. */
export interface ReportedUsage {
  /** Tokens of the input. */
  readonly inputTokens?: number | undefined;
  /** Tokens of the output. */
  readonly outputTokens?: number | undefined;
  /** Tokens of input and output. Default: their sum. */
  readonly totalTokens?: number | undefined;
  /** More about the input. */
  readonly inputTokenDetails?: { readonly cacheReadTokens?: number | undefined } | undefined;
}

/**
 * The counters of a usage that the SDK reports: of `generateText`, `streamText` (`await
 * result.usage`; in `ai` 6 `totalUsage`) or the `finish` of a message. Numbers that a provider does
 * not report, or NaN, count 0.
 *
 * @example
 * ```ts
 * const { tokens } = usageOf(await result.usage);
 * await saveMessages(sessions, id, [answer], { usage: { tokens } });
 * ```
 */
export const usageOf = (usage: ReportedUsage = {}): TokenUsage =>
  tokenUsage(
    usage.inputTokens,
    usage.outputTokens,
    usage.totalTokens,
    usage.inputTokenDetails?.cacheReadTokens,
  );
