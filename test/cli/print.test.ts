import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  jsonLine,
  print,
  printAll,
  printable,
  printError,
  printText,
} from '../../src/cli/print.js';
import { clip, columns, laidOut, tableLines, widthOf, wrap } from '../../src/cli/table-lines.js';
import { nearest } from '../../src/schema/unknown-fields.js';

const HOSTILE = '\u001b[2J\u009b31m\u202egpj\u2028\u0000\u007f\ud800\u{e0041}\r\n\t';
const OBEYED = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u;

describe('what strangers have written', () => {
  test('is shown with nothing in it that a terminal obeys or hides', () => {
    expect(printable(HOSTILE)).toBe(
      '\\u{1b}[2J\\u{9b}31m\\u{202e}gpj\\u{2028}\\u{0}\\u{7f}\\u{d800}\\u{e0041}\\r\\n\\t',
    );
  });

  test('is the same after its JSON, in which nothing is obeyed either', () => {
    const line = jsonLine({ [HOSTILE]: HOSTILE });
    expect(line).not.toMatch(OBEYED);
    expect(JSON.parse(line)).toEqual({ [HOSTILE]: HOSTILE });
  });

  test.each([
    ['stdout', () => print(HOSTILE, 'red')],
    ['stdout', () => printAll([{ text: HOSTILE }])],
    ['stdout', () => printText(HOSTILE.replace('\n', ''))],
    ['stderr', () => printError(HOSTILE)],
  ] as const)('is not printed as it is: %s %#', async (stream, printed) => {
    let written = '';
    const write = (text: Uint8Array | string, done: unknown): boolean => {
      written += text;
      if (typeof done === 'function') done();
      return true;
    };
    const spy = vi.spyOn(process[stream], 'write').mockImplementation(write);
    expect(await printed()).toBe(true);
    spy.mockRestore();
    expect(written).toContain('gpj');
    expect(written.trimEnd()).not.toMatch(OBEYED);
  });

  test('keeps its letters, in whatever script, and joined ones', () => {
    const text = 'Grüße, 日本語, می‌خواهم, 👨‍👩‍👧';
    expect(printable(text)).toBe(text);
  });
});

describe('columns', () => {
  test.each([
    ['ada', 3],
    ['日本', 4],
    ['👨‍👩‍👧', 2],
    ['e\u0301', 1],
    ['', 0],
  ])('%s takes %d cells', (text, width) => {
    expect(widthOf(text)).toBe(width);
  });

  test('are clipped at a letter, and never in the middle of one', () => {
    expect(clip('日本語', 5)).toBe('日本…');
    expect(clip('日本語', 4)).toBe('日…');
    expect(clip('ada', 3)).toBe('ada');
  });

  const rows = [
    ['ID', 'N', 'NAME'],
    ['x', '1', '日本'],
    ['yy', '22', ''],
  ];

  const textsOf = (table: readonly string[][], width: number): string[] =>
    tableLines(
      table.map((cells) => ({ cells, style: 'bold' as const })),
      width,
    ).map(({ text }) => text);

  test('stand one below the other, as far as the line goes', () => {
    expect(textsOf(rows, 80)).toEqual(['ID  N   NAME', 'x   1   日本', 'yy  22']);
    expect(textsOf(rows, 11)).toEqual(['ID  N   NA…', 'x   1   日…', 'yy  22']);
    expect(textsOf(rows, 1)).toEqual(['…', '…', '…']);
  });

  test.each([
    [80, '60', 80],
    [0, '60', 60],
    [undefined, '60', 60],
    [undefined, '', Number.POSITIVE_INFINITY],
    [0, 'wide', Number.POSITIVE_INFINITY],
  ])('fit a terminal of %j columns with COLUMNS=%s', (terminal, variable, expected) => {
    const before = process.stdout.columns;
    vi.stubEnv('COLUMNS', variable);
    Object.assign(process.stdout, { columns: terminal });
    expect(columns()).toBe(expected);
    Object.assign(process.stdout, { columns: before });
    vi.unstubAllEnvs();
  });

  test('show hostile texts as they are measured', () => {
    const [line = ''] = textsOf([[HOSTILE, 'x']], 30);
    expect(line).not.toMatch(OBEYED);
    expect(widthOf(line)).toBe(30);
  });

  test('hold a long text in lines, broken at spaces where there are some', () => {
    expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
    expect(wrap('onetwothree', 4)).toEqual(['onet', 'woth', 'ree']);
    expect(wrap('', 4)).toEqual(['']);
  });
});

test('a help text has its options in two columns, as far as the line goes', () => {
  const before = process.stdout.columns;
  Object.assign(process.stdout, { columns: 37 });
  onTestFinished(() => void Object.assign(process.stdout, { columns: before }));
  const help = `Usage: try

Tries what you have given it
    once more.

  --port N  Port to listen on; 0 for any
    free port.
  --json  As JSON.
`;
  expect(laidOut(help).split('\n')).toEqual([
    'Usage: try',
    '',
    'Tries what you have given it once',
    'more.',
    '',
    '  --port N  Port to listen on; 0 for',
    '            any free port.',
    '  --json    As JSON.',
    '',
  ]);
});

describe('the nearest name', () => {
  test.each([
    ['lst', 'list'],
    ['INSPECT', 'inspect'],
    ['insp', 'inspect'],
    ['sreve', 'serve'],
    ['quit', undefined],
    ['', undefined],
    ['l'.repeat(100_000), undefined],
  ])('of %j is %j', (text, name) => {
    expect(nearest(text, ['serve', 'list', 'inspect'])).toBe(name);
  });
});
