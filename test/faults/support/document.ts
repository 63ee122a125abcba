import { readFileSync, writeFileSync } from 'node:fs';
import type { Figure } from './effort.js';

const DOCUMENT = 'docs/reliability.md';
const MARKS = /(<!-- figures -->\n)[\s\S]*?(<!-- \/figures -->)/;

export interface Run {
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string };
  /** Each with the day of its run. */
  readonly figures: readonly (Figure & { readonly date: string })[];
}

const cell = (text: string): string => text.replaceAll('|', '\\|');

/** The figures of a run as a table, those of a promise together. */
const tableOf = ({ machine, figures }: Run): string => {
  const rows = figures.map(
    ({ promise, figure, value, bar = '-', date }) =>
      `| ${cell(promise)} | ${cell(figure)} | ${value} | ${bar} | ${date} |`,
  );
  const where = `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}:`;
  return [where, '', '| Promise | Figure | Value | Bar | Run |', '|---|---|---:|---|---|', ...rows, ''].join('\n');
};

/** Puts the figures of a run into the document that users read. */
export const documentFigures = (run: Run): void => {
  const text = readFileSync(DOCUMENT, 'utf8');
  writeFileSync(
    DOCUMENT,
    text.replace(MARKS, (_, begin: string, end: string) => `${begin}${tableOf(run)}${end}`),
  );
};
