import { afterAll, describe, expect, test } from 'vitest';
import { isFields } from '../../src/session/fields.js';
import { readme } from './documents.js';
import { SampleFolder } from './run-sample.js';
import { blocksIn } from './samples.js';

const folder = new SampleFolder();
afterAll(() => folder.remove());

/** The store options that the text in front of a use names. */
const options = [...readme.text.matchAll(/\(with `(\w+: true)` in the store\):$/gm)].map(
  ([, option = '']) => option,
);

/** The uses of the README in one function, on a store with these options. */
const codeOn = (given: readonly string[]): string => {
  const uses = blocksIn(readme, 'ts parse-only').map(({ code }) => code);
  const code = uses.join('\n');
  return `
    import { createSweeper as sweeper, createWorker as worker, SessionService, unwrap } from 'colloquy';
    import { MemorySessionStore } from 'colloquy/memory';
    export const seen = [];
    const running = [];
    const kept = (one) => (running.push(one), one);
    const createWorker = (...given) => kept(worker(...given));
    const createSweeper = (...given) => kept(sweeper(...given));
    const onError = ({ type }) => seen.push(type);
    const bill = (id, endReason) => seen.push(id + ' ' + endReason);
    const askModel = async (history) => 'You said: ' + history.at(-1)?.content;
    const store = new MemorySessionStore({ ${given.join(', ')} });
    const sessions = new SessionService({ store });
    const show = ({ type, session, entries = session?.history ?? [] }) => {
      seen.push(type);
      if (entries.some(({ role }) => role === 'assistant')) void sessions.terminate('chat-7');
    };
    try {
      ${code}
      await unwrap(sessions.terminate('call-7'));
      await unwrap(running.at(-1).sweepOnce());
    } catch ({ error }) {
      seen.push(error.type);
    }
    for (const each of running) await each.stop();
  `;
};

const seenWith = async (given: readonly string[]): Promise<unknown> => {
  const seen = await folder.run({ name: 'README.md', code: codeOn(given), runs: true });
  return isFields(seen) ? seen['seen'] : undefined;
};

describe('the uses in the README', () => {
  test('work on a store with the options that their texts name', async () => {
    expect(options).toEqual(['reportEnds: true', 'events: true']);
    const seen = await seenWith(options);
    expect(seen).toContain('session.snapshot');
    expect(seen).toContain('call-7 terminated');
    expect(seen).not.toContain('misconfigured');
  });

  test('need these options', async () => {
    expect(await seenWith([])).toContain('misconfigured');
  });
});
