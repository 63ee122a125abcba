import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { transitions } from '../../src/session/session-status.js';
import { type Document, documentOf, handbook, readme, root, rowsOf } from './documents.js';
import { blocksIn } from './samples.js';

/** As `wc -w` counts them, code and tables included. */
const wordsIn = ({ text }: Document): number =>
  text.split(/\s+/).filter((word) => word !== '').length;

/** The pages for users; those for contributors may be longer. */
const pages = handbook.filter(({ path }) => /^docs\/[^/]+\.md$/.test(path));

const stateMachine = documentOf('docs/guarantees.md');

describe('what the documents say', () => {
  test('the README can be read in a few minutes', () => {
    expect(wordsIn(readme)).toBeLessThanOrEqual(800);
  });

  test('the pages for users can be read in an evening', () => {
    expect(pages.length).toBeLessThanOrEqual(22);
    expect(pages.reduce((sum, page) => sum + wordsIn(page), 0)).toBeLessThanOrEqual(24_000);
  });

  test.for(pages)('$path is no longer than 1,600 words', (document) => {
    expect(wordsIn(document)).toBeLessThanOrEqual(1600);
  });

  test('the commands that they name are scripts', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(
      readFileSync(join(root, 'package.json'), 'utf8'),
    );
    for (const { path, text } of handbook) {
      for (const [, run, short = run] of text.matchAll(
        /\bnpm (?:run (?:--silent )?([\w:]+)|(start|test)\b)/g,
      )) {
        expect(Object.keys(scripts), `${path} names npm run ${short}`).toContain(short);
      }
    }
  });

  test('how it is tried comes first', () => {
    const commands = blocksIn(readme, 'bash').map(({ code }) => code);
    expect(commands).toEqual(['npm ci && npm start\n', 'npm ci && npm test\n']);
  });

  test('the table of transitions is the one that the engine goes by', () => {
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
