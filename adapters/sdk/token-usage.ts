/**
 * Tokens that calls of a model have used: the `usage` of a write, if the session knows these four
 * counters, from its budget or from `limits.counters`.
 */
// An interface would not be `Counters`.
export type TokenUsage = {
  /** The total. */
  readonly tokens: number;
  /** Input tokens, including cached tokens. */
  readonly inputTokens: number;
  /** Output tokens, including reasoning. */
  readonly outputTokens: number;
  /** Input tokens that were read from a cache. */
  readonly cachedTokens: number;
};

const countIn = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;

/** Missing numbers and NaN count as 0. */
export const tokenUsage = (
  input: unknown,
  output: unknown,
  total: unknown,
  cached: unknown,
): TokenUsage => {
  const [inputTokens, outputTokens] = [countIn(input), countIn(output)];
  const tokens = countIn(total) || inputTokens + outputTokens;
  return { tokens, inputTokens, outputTokens, cachedTokens: countIn(cached) };
};
