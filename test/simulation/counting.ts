import { type UpdateOptions, unwrap } from '../../src/index.js';
import { type SimulatedHost, type SimulationReport, simulate } from '../../src/simulation/index.js';
import { wait } from './steps.js';

const TURNS = 10;
const id = 'counter';

/**
 * Three hosts open a session with the same id and count in its metadata. At most one call may
 * create it, and no acknowledged count may be missing.
 */
export const simulateCounting = (
  seeds: number,
  optionsOf: (revision: number) => UpdateOptions,
): Promise<SimulationReport> => {
  const told = { created: 0, counted: 0 };
  const count = async (host: SimulatedHost): Promise<void> => {
    const { sessions, random } = host;
    for (let turn = 0; turn < TURNS; turn += 1) {
      const opened = await sessions.getOrCreate({ id });
      if (opened.isErr()) continue;
      const { created, metadata, revision } = opened.value;
      if (created) told.created += 1;
      const next = Number(metadata['count'] ?? 0) + 1;
      await wait(host, random());
      const updated = await sessions.update(id, { metadata: { count: next } }, optionsOf(revision));
      if (updated.isOk()) told.counted += 1;
    }
  };
  return simulate({
    seeds,
    hosts: 3,
    duration: 20,
    calm: 70,
    setup: () => {
      told.created = 0;
      told.counted = 0;
    },
    host: count,
    check: async ({ sessions }) => {
      if (told.created > 1) throw new Error(`${told.created} calls have created the session`);
      const { metadata } = await unwrap(sessions.getOrCreate({ id }));
      const stored = Number(metadata['count'] ?? 0);
      if (stored < told.counted) throw new Error(`${stored} of ${told.counted} counts are stored`);
    },
  });
};
