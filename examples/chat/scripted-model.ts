import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};

/**
 * Replace this with a model of a provider. It gives these answers in turn, a word every so many
 * milliseconds.
 */
export const scriptedModel = (
  answers: readonly string[],
  wordMs: number | null = 50,
): MockLanguageModelV3 => {
  let calls = 0;
  return new MockLanguageModelV3({
    doStream: async () => {
      const words = answers[calls % answers.length]?.split(/(?<= )/) ?? [];
      calls += 1;
      return {
        stream: simulateReadableStream({
          initialDelayInMs: wordMs,
          chunkDelayInMs: wordMs,
          chunks: [
            { type: 'stream-start', warnings: [] },
            { type: 'text-start', id: 'text' },
            ...words.map((delta) => ({ type: 'text-delta', id: 'text', delta }) as const),
            { type: 'text-end', id: 'text' },
            { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
          ],
        }),
      };
    },
  });
};
