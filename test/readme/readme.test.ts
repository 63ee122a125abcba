import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { transitions } from '../../src/session/session-status.js';
import {
  type Document,
  documentOf,
  handbook,
  readme,
  reference,
  root,
  rowsOf,
} from './documents.js';
import { blocksIn } from './samples.js';

const manifest: { scripts: Record<string, string>; description: string } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
);

/** As `wc -w` counts them, code and tables included. */
const wordsIn = ({ text }: Document): number =>
  text.split(/\s+/).filter((word) => word !== '').length;

/** The pages for users; those for contributors may be longer. */
const pages = handbook.filter(({ path }) => /^docs\/[^/]+\.md$/.test(path));

const stateMachine = documentOf('docs/guarantees.md');

describe('the documents', () => {
  test('include a README that takes a few minutes to read', () => {
    expect(wordsIn(readme)).toBeLessThanOrEqual(800);
  });

  test('include user pages that take an evening to read', () => {
    expect(pages.length).toBeLessThanOrEqual(22);
    expect(pages.reduce((sum, page) => sum + wordsIn(page), 0)).toBeLessThanOrEqual(24_000);
  });

  test.for([...pages, ...reference])('keep $path within 1,600 words', (document) => {
    expect(wordsIn(document)).toBeLessThanOrEqual(1600);
  });

  test('name only commands that are scripts', () => {
    const { scripts } = manifest;
    for (const { path, text } of handbook) {
      for (const [, run, short = run] of text.matchAll(
        /\bnpm (?:run (?:--silent )?([\w:]+)|(start|test)\b)/g,
      )) {
        expect(Object.keys(scripts), `${path} names npm run ${short}`).toContain(short);
      }
    }
  });

  test('show how to install, try and test Colloquy', () => {
    const commands = blocksIn(readme, 'bash').map(({ code }) => code);
    expect(commands).toEqual([
      expect.stringMatching(/^npm ci && npm pack .*\nnpm install \S+\/colloquy-\*\.tgz /),
      'npm ci && npm start\n',
      'npm ci && npm test\n',
    ]);
  });

  test('begin with a sample of at most 12 lines', () => {
    const [first] = blocksIn(readme, 'ts');
    expect(first?.code.trimEnd().split('\n').length).toBeLessThanOrEqual(12);
  });

  test('describe Colloquy in the same sentence as the package and the skill', () => {
    const [, sentence = ''] = readme.text.split('\n\n');
    const told = sentence.replaceAll('\n', ' ');
    expect(manifest.description).toBe(told);
    expect(documentOf('SKILL.md').text.replaceAll('\n', ' ')).toContain(told);
  });

  test("contain the engine's actual table of transitions", () => {
    const expected = Object.entries(transitions).flatMap(([from, row]) =>
      Object.entries(row).map(([command, target]) => {
        if ('unchanged' in target) return [from, command, 'unchanged', ''];
        return [from, command, target.status, 'endReason' in target ? target.endReason : ''];
      }),
    );
    const byText = (rows: readonly (readonly string[])[]) =>
      rows.map((row) => row.join(' ')).toSorted();
    expect(byText(rowsOf(stateMachine, 'From', 'Command', 'To'))).toEqual(byText(expected));
  });
});
