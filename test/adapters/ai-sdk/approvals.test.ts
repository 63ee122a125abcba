import type { UIMessage } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { loadMessages } from '../../../adapters/ai-sdk/index.js';
import { unwrap } from '../../../src/index.js';
import { SampleFolder } from '../../readme/run-sample.js';
import { ada, okOf } from '../../support/sessions.js';
import { textOf, user } from './opened-chat.js';
import { routesIn, useModel, useTools } from './routes.js';
import { type Part, usage } from './spoken-model.js';

const folder = new SampleFolder();
afterAll(() => folder.remove());
const routes = routesIn(folder);
beforeEach(() => {
  vi.spyOn(console, 'error').mockImplementation(() => {});
  return () => vi.unstubAllGlobals();
});

const call: Part[] = [
  { type: 'tool-call', toolCallId: 'call-1', toolName: 'erase', input: '{"path":"/tmp"}' },
  { type: 'finish', finishReason: { unified: 'tool-calls', raw: undefined }, usage },
];

const words: Part[] = [
  { type: 'text-start', id: 't' },
  { type: 'text-delta', id: 't', delta: 'Done.' },
  { type: 'text-end', id: 't' },
  { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage },
];

const streamOf = (parts: readonly Part[]) =>
  new ReadableStream<Part>({
    start: (controller) => {
      controller.enqueue({ type: 'stream-start', warnings: [] });
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });

/** What `addToolApprovalResponse` of a page makes of a message. */
const decided = (message: UIMessage, approved: boolean): UIMessage => ({
  ...message,
  parts: message.parts.map((part): UIMessage['parts'][number] => {
    if (!('toolCallId' in part) || part.state !== 'approval-requested') return part;
    const { id } = part.approval;
    return Object.assign({ ...part }, { state: 'approval-responded', approval: { id, approved } });
  }),
});

/** A chat whose model has asked for a tool that a person must approve. */
const asked = async ([, routeOf]: (typeof routes)[number]) => {
  const { sessions, post } = await routeOf();
  let executions = 0;
  let turns = 0;
  let isOpen = true;
  let open = (): void => undefined;
  const gate = (): Promise<void> =>
    isOpen ? Promise.resolve() : new Promise((resolve) => (open = resolve));
  const doStream = async () => {
    turns += 1;
    if (turns === 1) return { stream: streamOf(call) };
    await gate();
    return { stream: streamOf(words) };
  };
  useModel(new MockLanguageModelV3({ doStream }));
  const execute = async () => {
    executions += 1;
    await gate();
    return 'erased';
  };
  const inputSchema = z.object({ path: z.string() });
  useTools({ erase: { description: 'Erases.', inputSchema, needsApproval: true, execute } });
  const { id } = await okOf(sessions.create({ ...ada, start: true }));
  const send = async (message: UIMessage) => {
    const body = JSON.stringify({ id, message, trigger: 'submit-message' });
    const response = await post(new Request('http://localhost', { method: 'POST', body }));
    return { status: response.status, end: response.text() };
  };
  const load = async () => (await unwrap(loadMessages<UIMessage>(sessions, id))).messages;
  const states = async () =>
    (await load()).flatMap(({ parts }) =>
      parts.flatMap((part) => ('toolCallId' in part ? [part.state] : [])),
    );
  await (await send(user('u-1', 'Erase it.'))).end;
  await expect.poll(states).toEqual(['approval-requested']);
  const shown = (await load()).at(-1);
  if (shown === undefined) throw new Error('the model has not asked');
  return {
    send,
    load,
    states,
    approved: decided(shown, true),
    denied: decided(shown, false),
    executions: () => executions,
    turns: () => turns,
    hold: () => {
      isOpen = false;
    },
    goOn: () => {
      isOpen = true;
      open();
    },
  };
};

const finalText = async ({ load }: Awaited<ReturnType<typeof asked>>) =>
  textOf((await load()).at(-1) ?? user('', ''));

describe.each(routes)('a tool approval sent to the route %s', (...route) => {
  test('runs the tool once, and rejects the approval after the answer was saved', async () => {
    const chat = await asked(route);
    await (await chat.send(chat.approved)).end;
    await expect.poll(chat.states).toEqual(['output-available']);
    const finished = await chat.load();
    expect((await chat.send(chat.approved)).status).toBe(412);
    expect((await chat.send(chat.denied)).status).toBe(412);
    expect(chat.executions()).toBe(1);
    expect(await chat.load()).toEqual(finished);
    expect(await finalText(chat)).toBe('Done.');
  });

  test('runs the tool once if the approval is sent again before the answer is saved', async () => {
    const chat = await asked(route);
    chat.hold();
    const first = await chat.send(chat.approved);
    await expect.poll(chat.executions).toBe(1);
    expect((await chat.send(chat.approved)).status).toBe(409);
    expect((await chat.send(chat.denied)).status).toBe(412);
    chat.goOn();
    await first.end;
    await expect.poll(chat.states).toEqual(['output-available']);
    expect(chat.executions()).toBe(1);
  });

  test('runs the tool once if two tabs send the approval concurrently', async () => {
    const chat = await asked(route);
    const sent = await Promise.all([chat.send(chat.approved), chat.send(chat.approved)]);
    await Promise.all(sent.map(({ end }) => end));
    await expect.poll(chat.states).toEqual(['output-available']);
    expect(sent.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(chat.executions()).toBe(1);
  });

  test('never runs a tool for a stale tab after another tab denied it', async () => {
    const chat = await asked(route);
    chat.hold();
    const first = await chat.send(chat.denied);
    await expect.poll(chat.turns).toBe(2);
    expect((await chat.send(chat.approved)).status).toBe(412);
    chat.goOn();
    await first.end;
    await expect.poll(() => finalText(chat)).toBe('Done.');
    const finished = await chat.load();
    expect((await chat.send(chat.approved)).status).toBe(412);
    expect(chat.executions()).toBe(0);
    expect(await chat.load()).toEqual(finished);
  });
});
