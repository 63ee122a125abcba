import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..', '..');

export const readme = readFileSync(join(root, 'README.md'), 'utf8');

/** A block of code in the README. */
export interface Sample {
  /** Where it stands, for whoever reads a failure. */
  readonly name: string;
  readonly code: string;
  /** Whether it is only there to be read; it has to compile nevertheless. */
  readonly runs: boolean;
}

const fences = /^```(\w+)( no-run)?\n([\s\S]*?)^```$/gm;

const lineAt = (offset: number): number => readme.slice(0, offset).split('\n').length;

/** The blocks of a language. */
export const blocksOf = (language: string): readonly Sample[] =>
  [...readme.matchAll(fences)].flatMap(([, found, mark, code = ''], index, all) =>
    found === language
      ? [{ name: `README.md:${lineAt(all[index]?.index ?? 0) + 1}`, code, runs: mark === undefined }]
      : [],
  );

/** The rows of the table whose head starts with these cells, without the head. */
export const rowsOf = (...head: readonly string[]): readonly (readonly string[])[] => {
  const lines = readme.split('\n');
  const first = lines.findIndex((line) => line.startsWith(`| ${head.join(' | ')} |`));
  const end = lines.findIndex((line, index) => index > first && !line.startsWith('|'));
  return lines.slice(first + 2, end).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', '')),
  );
};

/** What a sample says that it prints: the comments behind its `console.log` statements. */
export const announced = ({ code }: Sample): readonly string[] =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text = '']) => text);

/** Whether a sample is a test of its own. */
export const isTest = ({ code }: Sample): boolean => code.includes("from 'vitest'");

export const needsRedis = ({ code }: Sample): boolean => code.includes('redis://');
