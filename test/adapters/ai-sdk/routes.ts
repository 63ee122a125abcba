import type { LanguageModel } from 'ai';
import * as ai6 from 'ai6';
import { vi } from 'vitest';
import { loadMessages, saveMessages } from '../../../adapters/ai-sdk/index.js';
import { MemorySessionStore } from '../../../adapters/memory/index.js';
import { httpStatusOf, SessionService } from '../../../src/index.js';
import { documentOf } from '../../readme/documents.js';
import type { SampleFolder } from '../../readme/run-sample.js';
import { blocksIn } from '../../readme/samples.js';

export type Post = (request: Request) => Promise<Response>;

export interface Route {
  readonly sessions: SessionService;
  readonly post: Post;
}

/** The tools of both routes, by a global that a test sets. */
const TOOLS = 'COLLOQUY_TEST_TOOLS';

export const useTools = (tools: object): void => void vi.stubGlobal(TOOLS, tools);

/** Both routes name a model, for which the SDK asks the default provider. */
export const useModel = (model: LanguageModel): void => {
  vi.stubGlobal('AI_SDK_DEFAULT_PROVIDER', {
    specificationVersion: 'v3',
    languageModel: () => model,
  });
};

/** The route of the document as it stands there, but for its tools. */
const documented = async (folder: SampleFolder): Promise<Route> => {
  const [sample] = blocksIn(documentOf('docs/ai-sdk.md'), 'ts');
  if (sample === undefined) throw new Error('the document has no route');
  const code = sample.code.replace('streamText({', `streamText({ tools: globalThis.${TOOLS},`);
  const { sessions, POST } = Object(
    await folder.run({ ...sample, code: `${code}\nexport { sessions };` }),
  );
  return { sessions, post: POST };
};

const refusal = (error: Parameters<typeof httpStatusOf>[0]): Response =>
  new Response(error.type, { status: httpStatusOf(error) });

/** What the document says of `ai` 6. */
const of6 = async (): Promise<Route> => {
  const sessions = new SessionService({ store: new MemorySessionStore() });
  const post: Post = async (request) => {
    const { id, message, trigger } = JSON.parse(await request.text());
    const saved = await saveMessages(sessions, id, [message], {
      regenerate: trigger === 'regenerate-message',
    });
    if (saved.isErr()) return refusal(saved.error);
    const loaded = await loadMessages<ai6.UIMessage>(sessions, id);
    if (loaded.isErr()) return refusal(loaded.error);
    const { messages, position: ifPosition } = loaded.value;
    const later = messages.slice(messages.findIndex((each) => each.id === message.id) + 1);
    const isAnswered = later.some(({ role }) => role === 'assistant');
    const isApprovedTwice = message.role === 'assistant' && saved.value.repeated;
    if (isAnswered || isApprovedTwice) return new Response('answered', { status: 409 });
    const result = ai6.streamText({
      model: 'openai/gpt-5',
      tools: Reflect.get(globalThis, TOOLS),
      messages: await ai6.convertToModelMessages(messages, { ignoreIncompleteToolCalls: true }),
      abortSignal: request.signal,
    });
    return result.toUIMessageStreamResponse({
      originalMessages: messages,
      generateMessageId: ai6.generateId,
      onFinish: async ({ responseMessage }) => {
        await saveMessages(sessions, id, [responseMessage], { ifPosition }).orTee(console.error);
      },
      consumeSseStream: ai6.consumeStream,
    });
  };
  return { sessions, post };
};

/** The route of each version of `ai`. `folder` belongs to the file of the test. */
export const routesIn = (folder: SampleFolder) =>
  [
    ['of the document', () => documented(folder)],
    ['of ai 6', of6],
  ] as const;
