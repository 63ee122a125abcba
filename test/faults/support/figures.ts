import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './effort.js';

/** A file for each day. The latest figures of a promise are those of the last file that has it. */
const RESULTS = 'test/faults/results';

const isFigure = (value: unknown): value is Figure =>
  typeof value === 'object' &&
  value !== null &&
  'promise' in value &&
  'figure' in value &&
  'value' in value;

const readRecorded = (file: string): Figure[] => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const values: unknown[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return values.filter(isFigure);
};

const readSaved = (file: string): Figure[] =>
  existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).figures.filter(isFigure) : [];

const sorted = (figures: readonly Figure[]): readonly Figure[] =>
  figures.toSorted((a, b) => a.promise.localeCompare(b.promise));

const nameOf = ({ promise, figure }: Figure): string => `${promise} | ${figure}`;

/** Saves the figures of a run with its commit in the file of its day, in place of earlier ones. */
const save = (figures: readonly Figure[]): void => {
  const file = join(RESULTS, `${new Date().toISOString().slice(0, 10)}.json`);
  // Several files of tests have figures of one promise.
  const names = new Set(figures.map(nameOf));
  const kept = readSaved(file).filter((figure) => !names.has(nameOf(figure)));
  const machine = {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    node: process.versions.node,
  };
  const commit = execFileSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' });
  const made = figures.map((figure) => ({ ...figure, commit: commit.trim() }));
  const lines = sorted([...kept, ...made]).map((figure) => `  ${JSON.stringify(figure)}`);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(
    file,
    `{\n "machine": ${JSON.stringify(machine)},\n "figures": [\n${lines.join(',\n')}\n ]\n}\n`,
  );
};

/**
 * Collects what the tests of one run record, prints it at the end, and saves it if the run is a
 * full one.
 */
export const setup = (): (() => void) => {
  const dir = mkdtempSync(join(tmpdir(), 'colloquy-figures-'));
  const file = join(dir, 'figures');
  process.env['COLLOQUY_FIGURES'] = file;
  return () => {
    const figures = sorted(readRecorded(file));
    rmSync(dir, { recursive: true, force: true });
    if (figures.length === 0) return;
    for (const { promise, figure, value, bar = '-' } of figures)
      console.log(`${promise} | ${figure} | ${value} | ${bar}`);
    if (process.env['COLLOQUY_FAULTS'] === 'full' && process.env['COLLOQUY_SAVE'] === 'yes')
      save(figures);
  };
};
