import { MockLanguageModelV3 } from 'ai/test';

export type Part =
  Awaited<ReturnType<MockLanguageModelV3['doStream']>>['stream'] extends ReadableStream<infer P>
    ? P
    : never;

export const usage = {
  inputTokens: { total: 0, noCache: 0, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 0, text: 0, reasoning: undefined },
};

/** An answer of the model, spoken by the test. */
export interface Answer {
  say(text: string): void;
  end(): void;
}

/**
 * A model whose answers the test speaks. The stream of an aborted call breaks off, as with a
 * provider.
 */
export const spokenModel = () => {
  const answers: Answer[] = [];
  const model = new MockLanguageModelV3({
    doStream: async ({ abortSignal }) => {
      const stream = new ReadableStream<Part>({
        start: (controller) => {
          controller.enqueue({ type: 'stream-start', warnings: [] });
          controller.enqueue({ type: 'text-start', id: 't' });
          abortSignal?.addEventListener('abort', () => controller.error(abortSignal.reason));
          answers.push({
            say: (delta) => controller.enqueue({ type: 'text-delta', id: 't', delta }),
            end: () => {
              controller.enqueue({ type: 'text-end', id: 't' });
              controller.enqueue({
                type: 'finish',
                finishReason: { unified: 'stop', raw: undefined },
                usage,
              });
              controller.close();
            },
          });
        },
      });
      return { stream };
    },
  });
  /** The answer with this number, from 0, once the model was called for it. */
  const answer = async (index: number): Promise<Answer> => {
    for (;;) {
      const found = answers[index];
      if (found !== undefined) return found;
      await new Promise(setImmediate);
    }
  };
  return { model, answer };
};
