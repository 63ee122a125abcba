import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { documentFigures, type Run } from './document.js';
import type { Figure } from './effort.js';

/** Where the figures of a full run are saved. */
const SAVED = 'test/faults/figures.json';

const isFigure = (value: unknown): value is Figure =>
  typeof value === 'object' && value !== null && 'promise' in value && 'figure' in value && 'value' in value;

const read = (file: string): Figure[] => {
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const values: unknown[] = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return values.filter(isFigure);
};

const readSaved = (): Run['figures'] => JSON.parse(readFileSync(SAVED, 'utf8')).figures;

/** A run of a part replaces the figures of its own promises: the others keep theirs, with the day of their run. */
const withNew = (saved: Run['figures'], figures: readonly Figure[], date: string): Run['figures'] => {
  const isNew = new Set(figures.map(({ promise }) => promise));
  const kept = saved.filter(({ promise }) => !isNew.has(promise));
  return [...kept, ...figures.map((figure) => ({ date, ...figure }))].sort((a, b) =>
    a.promise.localeCompare(b.promise),
  );
};

/** Collects what the tests of one run record, and tells it at the end. */
export const setup = (): (() => void) => {
  const dir = mkdtempSync(join(tmpdir(), 'colloquy-figures-'));
  const file = join(dir, 'figures');
  process.env['COLLOQUY_FIGURES'] = file;
  return () => {
    const figures = read(file).sort((a, b) => a.promise.localeCompare(b.promise));
    rmSync(dir, { recursive: true, force: true });
    if (figures.length === 0) return;
    for (const { promise, figure, value, bar = 'told' } of figures)
      console.log(`${promise} | ${figure} | ${value} | ${bar}`);
    if (process.env['COLLOQUY_FAULTS'] !== 'full' || process.env['COLLOQUY_SAVE'] !== 'yes') return;
    const machine = { cpu: cpus()[0]?.model ?? 'unknown', cores: cpus().length, node: process.versions.node };
    const saved: Run = { machine, figures: withNew(readSaved(), figures, new Date().toISOString().slice(0, 10)) };
    writeFileSync(SAVED, `${JSON.stringify({ version: 2, ...saved }, null, 1)}\n`);
    documentFigures(saved);
  };
};
