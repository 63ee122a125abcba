import { type Document, handbook, readme } from './documents.js';

/** A block of code in a document. */
export interface Sample {
  /** Its location, for the message of a failure. */
  readonly name: string;
  readonly code: string;
  /** Whether it is only there to be read; it has to compile nevertheless. */
  readonly runs: boolean;
}

const fences = /^```(\w+(?: parse-only)?)( no-run)?\n([\s\S]*?)^```$/gm;

/** The blocks of a language in one document. */
export const blocksIn = ({ path, text }: Document, language: string): readonly Sample[] =>
  [...text.matchAll(fences)].flatMap(({ index, 1: found, 2: mark, 3: code = '' }) => {
    const line = text.slice(0, index).split('\n').length + 1;
    return found === language ? [{ name: `${path}:${line}`, code, runs: mark === undefined }] : [];
  });

/** The blocks of a language in all that users read. */
export const blocksOf = (language: string): readonly Sample[] =>
  handbook.flatMap((document) => blocksIn(document, language));

/** What a sample says that it prints: the comments after its `console.log` statements. */
export const announced = ({ code }: Sample): readonly string[] =>
  [...code.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, text = '']) => text);

/** Whether a sample is a test of its own. */
export const isTest = ({ code }: Sample): boolean => code.includes("from 'vitest'");

export const needsRedis = ({ code }: Sample): boolean => code.includes('redis://');

export const needsDriver = ({ code }: Sample): boolean => code.includes("from 'better-sqlite3'");

/** The uses that the README shows after its first sample, with what they leave to the reader. */
export const usesOfReadme = (): Sample => {
  const own = `import { createSweeper, createWorker } from 'colloquy';
    declare const onError: (error: { message: string }) => void;
    declare const bill: (id: string, endReason: string | undefined) => void;
    declare const show: (change: object) => void;`;
  const blocks = [...blocksIn(readme, 'ts'), ...blocksIn(readme, 'ts parse-only')];
  const code = [own, ...blocks.map((block) => block.code)].join('\n');
  return { name: 'README.md, all of it,', code, runs: false };
};
