import { generateText, type UIMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { generateText as generateText6 } from 'ai6';
import { MockLanguageModelV3 as Model6 } from 'ai6/test';
import { describe, expect, test } from 'vitest';
import { entriesOf, saveMessages, usageOf } from '../../../adapters/ai-sdk/index.js';
import { SessionService, unwrap } from '../../../src/index.js';
import { describeStores } from '../../support/describe-stores.js';
import { ada, errorOf, okOf } from '../../support/sessions.js';
import { assistant, user } from './opened-chat.js';

const generatedWith = (
  input: number | undefined,
  output: number | undefined,
  cacheRead?: number,
) => ({
  content: [{ type: 'text' as const, text: 'It is 42.' }],
  finishReason: { unified: 'stop' as const, raw: undefined },
  usage: {
    inputTokens: { total: input, noCache: undefined, cacheRead, cacheWrite: undefined },
    outputTokens: { total: output, text: undefined, reasoning: undefined },
  },
  warnings: [],
});

describe('usageOf', () => {
  const prompt = 'What is 6 times 7?';

  test('counts the tokens that both versions of the SDK report', async () => {
    const doGenerate = generatedWith(100, 20, 60);
    const model = new MockLanguageModelV3({ doGenerate });
    const model6 = new Model6({ doGenerate });
    const counters = { tokens: 120, inputTokens: 100, outputTokens: 20, cachedTokens: 60 };
    expect(usageOf((await generateText({ model, prompt })).usage)).toEqual(counters);
    expect(usageOf((await generateText6({ model: model6, prompt })).totalUsage)).toEqual(counters);
  });

  test.for([
    ['undefined', undefined],
    ['NaN', Number.NaN],
    ['fractional', 0.5],
  ] as const)('leaves out a token count that is %s', async ([, output]) => {
    const model = new MockLanguageModelV3({ doGenerate: generatedWith(100, output) });
    const { usage } = await generateText({ model, prompt });
    expect(usageOf(usage)).toMatchObject({ tokens: 100, inputTokens: 100, outputTokens: 0 });
    expect(usageOf(undefined)).toMatchObject({ tokens: 0, cachedTokens: 0 });
  });
});

describeStores('the usage of an answer', (open) => {
  const opened = async (budget: Readonly<Record<string, number>>) => {
    const sessions = new SessionService({ store: await open() });
    const { id } = await okOf(sessions.create({ ...ada, budget, start: true }));
    const read = async () => {
      const { usage, historyCount, endReason } = await okOf(sessions.get(id));
      return { usage, historyCount, endReason };
    };
    return { sessions, id, read };
  };

  test('is counted once, with the messages that saveMessages stores', async () => {
    const { sessions, id, read } = await opened({ tokens: 200 });
    await unwrap(saveMessages(sessions, id, [user('u-1', 'Why?')]));
    const save = (text: string) =>
      saveMessages(sessions, id, [assistant('a-1', text)], { usage: { tokens: 120 } });
    for (let times = 0; times < 2; times += 1) await unwrap(save('Because.'));
    expect(await read()).toMatchObject({ usage: { tokens: 120 }, historyCount: 2 });
    // Continued after an approval, and so replaced.
    await unwrap(save('Because. And so on.'));
    expect(await read()).toEqual({ usage: { tokens: 240 }, historyCount: 2, endReason: 'budget' });
  });

  test('is rejected together with the answer if the session lacks the counter', async () => {
    const { sessions, id, read } = await opened({ tokens: 200 });
    const usage = usageOf({ inputTokens: 1 });
    expect(
      await errorOf(saveMessages(sessions, id, [user('u-1', 'Why?')], { usage })),
    ).toMatchObject({
      type: 'invalid_input',
      message: expect.stringContaining('usage.cachedTokens is no counter of this session'),
    });
    expect(await read()).toMatchObject({ usage: { tokens: 0 }, historyCount: 0 });
  });

  test('is counted at the end of the turn that returns it', async () => {
    const { sessions, id, read } = await opened({ tokens: 200 });
    const said: UIMessage[] = [assistant('a-1', 'Because.')];
    await okOf(
      sessions.reply(id, 'Why?', async () => {
        const { tokens } = usageOf({ inputTokens: 100, outputTokens: 20 });
        return { entries: await unwrap(entriesOf(said)), usage: { tokens } };
      }),
    );
    expect(await read()).toMatchObject({ usage: { tokens: 120 }, historyCount: 2 });
  });
});
