import { simulateReadableStream } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';

const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};

/** Replace this with a model of a provider. It gives these answers one after another, and needs no network and no key. */
export const scriptedModel = (answers: readonly string[]): MockLanguageModelV3 => {
  const left = [...answers];
  return new MockLanguageModelV3({
    doStream: async () => {
      const words = (left.shift() ?? 'That was all.').split(/(?<= )/);
      return {
        stream: simulateReadableStream({
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
