import { spawnSync } from 'node:child_process';
import { IMPORT_FIGURE } from '../../fair-figures.js';
import { quantileOf } from '../../harness/statistics.js';
import { type Count, expect, type Suite } from '../suite.js';

/** What a process runs: nothing, or imports of the package by its name. */
const programs = {
  bare: '',
  colloquy: "await import('colloquy');",
  together:
    "await import('colloquy'); await import('colloquy/redis'); await import('colloquy/http');",
} as const;

const PRINT = 'const { user, system } = process.cpuUsage(); console.log(user + system);';

/** Milliseconds of CPU of a process. */
const cpuMsOf = (program: string): number => {
  const args = ['--input-type=module', '--eval', `${program} ${PRINT}`];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  expect(status === 0, 'the package can be imported');
  return Number(stdout) / 1000;
};

/**
 * CPU of an import beyond that of a process without it. Others on the machine make a process dearer
 * and never cheaper, so the lower quartile counts; the programs take turns.
 */
const counts: Suite['counts'] = async ({ quick }): Promise<readonly Count[]> => {
  const taken = Array.from({ length: quick ? 2 : 25 }, () => Object.values(programs).map(cpuMsOf));
  const [bare = 0, alone = 0, together = 0] = Object.keys(programs).map((_, at) =>
    quantileOf(
      taken.map((round) => round[at] ?? Number.NaN),
      0.25,
    ),
  );
  return [
    { figure: IMPORT_FIGURE, value: alone - bare, unit: 'ms' },
    {
      figure: "CPU of importing 'colloquy', 'colloquy/redis' and 'colloquy/http' over bare node",
      value: together - bare,
      unit: 'ms',
    },
  ];
};

export const importCost: Suite = { name: 'fair-import', counts };
