import { expect, test } from 'vitest';
import { toolCallNames } from '../../src/inspector/page/tool-calls.js';

test('the inspector never cuts the name of a tool call within an emoji', () => {
  const name = 'a'.repeat(63);
  expect(toolCallNames({ toolCalls: [{ name: `${name}😀` }] })).toEqual([name]);
});
