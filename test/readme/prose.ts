import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { documents, root } from './documents.js';

/** A piece of text that people read. */
export interface Prose {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** These are made from doc comments, which are checked where they are written. */
const isGenerated = (path: string): boolean =>
  /^docs\/(?:api\/|reference\/(?:options|http|cli)\.md)/.test(path);

/** The code in a folder and below. */
export const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.(?:ts|tsx|mjs|lua|sql)$/.test(path) && !/node_modules|\.build/.test(path))
    .map((path) => join(folder, path));

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Comments that follow one another are one text; a string is read if it has several words. */
const piecesOfCode = {
  ts: /\/\*[\s\S]*?\*\/|(?:\/\/[^\n]*\n?[ \t]*)+|'(?:\\.|[^'\\\n])* (?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])* (?:\\.|[^`\\])*`/g,
  lua: /(?:--[^\n]*\n?[ \t]*)+/g,
} as const;

const proseIn = (path: string): readonly Prose[] => {
  const code = readFileSync(join(root, path), 'utf8');
  const pieces = /\.(?:lua|sql)$/.test(path) ? piecesOfCode.lua : piecesOfCode.ts;
  return [...code.matchAll(pieces)].map(({ 0: text, index }) => ({
    path,
    line: lineAt(code, index),
    text,
  }));
};

/** The comments and strings of the code in these folders. */
export const proseOfCode = (...folders: readonly string[]): readonly Prose[] =>
  folders.flatMap(filesOf).flatMap(proseIn);

/** The pages that people write. */
export const proseOfPages = (): readonly Prose[] =>
  documents
    .filter(({ path }) => !isGenerated(path))
    .map(({ path, text }) => ({ path, line: 1, text }));

/** Where a pattern occurs, also across the line breaks of a comment: `path:line: found`. */
export const occurrencesOf = (pattern: string, prose: readonly Prose[]): readonly string[] => {
  const anyBreak = pattern.replaceAll(' ', String.raw`(?: |\s*\n\s*(?:\*|\/\/|--)?\s*)`);
  const form = new RegExp(anyBreak, 'gim');
  return prose.flatMap(({ path, line, text }) =>
    [...text.matchAll(form)].map(
      ({ 0: found, index }) =>
        `${path}:${line + lineAt(text, index) - 1}: ${found.replace(/\s+(?:\*|\/\/|--)?\s*/g, ' ')}`,
    ),
  );
};
