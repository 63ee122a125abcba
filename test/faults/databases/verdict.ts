import { expect } from 'vitest';
import { record } from '../support/effort.js';
import { audit, nothingWrong, settle } from './audit.js';
import { type Database, openDatabase } from './database.js';
import type { Hosts } from './hosts.js';
import type { Outcome } from './ledger.js';
import type { Watchers } from './watchers.js';

/**
 * Ends the writing, and holds what the hosts were told against what is in the database. `unsoundIn`
 * says what is wrong with the database by itself.
 */
export const expectTruth = async (
  { promise, fault }: { readonly promise: string; readonly fault: string },
  database: Database,
  hosts: Hosts,
  unsoundIn: () => Promise<readonly string[]> | readonly string[],
  watchers?: Watchers,
): Promise<Record<Outcome, number>> => {
  const { answers, ledgers, longestMs } = await hosts.end();
  const { store, close } = openDatabase(database);
  try {
    const watched = await watchers?.end();
    const { sessions, ...wrong } = await audit(store, ledgers);
    const inDoubt = ledgers.reduce((sum, { doubtful }) => sum + doubtful.size, 0);
    const unsettled = await settle(store, ledgers);
    const unsound = await unsoundIn();
    const tell = (figure: string, value: number, bar?: string) =>
      record({
        promise,
        figure: `${fault}: ${figure}`,
        value,
        ...(bar === undefined ? {} : { bar }),
      });
    tell('acknowledged', answers.ok);
    tell('answered not_applied', answers.not_applied);
    tell('answered unknown', answers.unknown);
    tell('appends in doubt at the end', inDoubt);
    tell('sessions at the end', sessions);
    tell('longest call, ms', longestMs);
    tell('acknowledged and lost', wrong.lost.length, '0');
    tell('doubled', wrong.doubled.length + unsettled.length, '0');
    tell('answers that were false', wrong.untrue.length, '0');
    tell('misplaced in a list or total', wrong.misplaced.length, '0');
    tell('changes without their event', wrong.untold.length, '0');
    tell('faults of the database itself', unsound.length, '0');
    if (watched !== undefined) {
      tell('events given to watchers', watched.seen);
      tell('given twice, or out of order', watched.doubled + watched.outOfOrder, '0');
      tell('not given', watched.missing, '0');
      expect(watched).toMatchObject({ doubled: 0, outOfOrder: 0, missing: 0 });
    }
    expect({ ...wrong, unsettled, unsound }).toEqual({
      ...nothingWrong,
      unsettled: [],
      unsound: [],
    });
    return answers;
  } finally {
    await close();
  }
};
