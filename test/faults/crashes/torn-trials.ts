import { isDeepStrictEqual } from 'node:util';
import { expectEqual } from '../../../src/testing/answers.js';
import { ada, okOf } from '../../support/sessions.js';
import { wrongEntries } from '../support/stored.js';
import {
  expectExact,
  glanceAt,
  OTHER,
  repaired,
  type Sight,
  sightOf,
  withEntry,
  withInboxOf,
  withoutRevisions,
} from './sight.js';
import { type Log, onTorn, type Torn, type Trial, tailLength } from './torn-log.js';
import { said, TARGET, type Write } from './torn-writes.js';

/** What crashes have left behind that no caller was told of. */
export interface Remains {
  /** Entries of indexes that a repair corrects. */
  readonly entries: number;
  /**
   * Events of changes that are not there, or are there by a repetition that has an event of its
   * own.
   */
  readonly ghosts: number;
}

/** Returns which of the two states this is. Any other state is a partial write. */
const sideOf = (sight: Sight, before: Sight, after: Sight): 'before' | 'after' => {
  if (isDeepStrictEqual(sight, before)) return 'before';
  expectEqual(sight, after, 'what was not as before');
  return 'after';
};

/** Each session is as before or as after. */
const expectWholes = (sight: Sight, before: Sight, after: Sight): 'before' => {
  const find = ({ sessions }: Sight, id: string) => sessions.find(({ head }) => head.id === id);
  for (const { head } of [...before.sessions, ...after.sessions]) {
    const [found, earlier, later] = [sight, before, after].map((each) => find(each, head.id));
    if (!isDeepStrictEqual(found, earlier))
      expectEqual(found, later, `what was not as before of ${head.id}`);
  }
  return 'before';
};

/**
 * A removal has two steps. Between them the session is gone, and its entries in indexes, which
 * readers ignore, wait for a repair.
 */
const isRemoval = ({ name }: Write): boolean => /^(?:delete|remove)/.test(name);

const expectSound = async (write: Write, log: Log, trial: Trial): Promise<void> => {
  const sight = await glanceAt(trial);
  if (write.isGroup) expectWholes(sight, log.before, log.after);
  else sideOf(sight, log.before, log.after);
  const corrected = await repaired(trial, sight);
  if (!isRemoval(write)) expectEqual(corrected, 0, 'what a repair finds');
  await expectExact(trial, sight);
};

/**
 * Starts a server on the torn log. Returns how much of the tail the server kept and a digest of its
 * data: states that agree in both have the same future, so each is inspected once.
 */
export const recover = (
  write: Write,
  log: Log,
  torn: Torn,
  isKnown: (outcome: string) => boolean,
): Promise<string> =>
  onTorn(torn, async (trial) => {
    const { client, dir } = trial;
    const outcome = `${await tailLength(dir)} ${String(await client.call('debug', 'digest'))}`;
    if (isKnown(outcome)) return outcome;
    await expectSound(write, log, trial);
    return outcome;
  });

/** Other writes of all kinds; last one that is a single script. */
const writeMore = async ({ sessions }: Trial): Promise<void> => {
  const { id } = await okOf(sessions.create({ ...ada, idempotencyKey: 'later' }));
  await okOf(sessions.start(id));
  await okOf(sessions.append(id, [said('later')], { operationId: 'later' }));
  await okOf(sessions.append(OTHER, [said('later')]));
};

/** After another crash everything is as it was, and exact. */
const crashAgain = async (trial: Trial): Promise<Remains> => {
  const acknowledged = await sightOf(trial);
  const restarted = await trial.crash();
  const sight = await glanceAt(restarted);
  expectEqual(sight, acknowledged, 'after another crash');
  const ghosts = await expectExact(restarted, sight);
  expectEqual(await repaired(restarted, sight), 0, 'what a repair finds');
  return { entries: 0, ghosts: ghosts.length };
};

/** The client sends its commands again, as it does by itself when it has no answer. */
export const resent = (log: Log, torn: Torn): Promise<Remains> =>
  onTorn(torn, async (trial) => {
    await log.resend(trial.client);
    expectEqual(await sightOf(trial), log.after, 'what was sent again');
    await writeMore(trial);
    return crashAgain(trial);
  });

/** The caller does the write again. */
export const repeated = (write: Write, log: Log, torn: Torn): Promise<Remains> =>
  onTorn(torn, async (trial) => {
    await write.run(trial);
    const once = await sightOf(trial);
    expectEqual(withoutRevisions(once), withoutRevisions(log.after), 'what was repeated');
    await writeMore(trial);
    return crashAgain(trial);
  });

/** Longer than what a torn write has left behind the committed length. */
const LATE = said('late '.repeat(60));

/** Which of the two this is after two crashes. */
const sideAfterTwo = (
  write: Write,
  sight: Sight,
  before: Sight,
  after: Sight,
): 'before' | 'after' => {
  if (write.isGroup) return expectWholes(sight, before, after);
  // Later entries undo a rewind and a change of the inbox, but for the revision.
  const mayBeUndone = write.isRewind || write.isStated;
  const isUndone = () => isDeepStrictEqual(withoutRevisions(sight), withoutRevisions(before));
  return mayBeUndone && isUndone() ? 'before' : sideOf(sight, before, after);
};

/**
 * Nobody repeats anything; others go on, and the server crashes again. Gives the sight that must
 * be, and the trial. A session of which a deletion was torn is left alone: a deletion that comes
 * true takes what came later with it.
 */
const goneOn = async (write: Write, log: Log, first: Trial) => {
  await okOf(first.sessions.append(OTHER, [LATE]));
  const isIn =
    !write.name.startsWith('delete') && (await first.sessions.append(TARGET, [LATE])).isOk();
  const trial = await first.crash();
  const both = (sight: Sight) => {
    const others = withEntry(sight, OTHER, LATE);
    return isIn ? withEntry(others, TARGET, LATE) : others;
  };
  const sight = await glanceAt(trial);
  const side = sideAfterTwo(write, sight, both(log.before), both(log.after));
  return { trial, sight, side, isIn, both };
};

/**
 * Nobody repeats anything: entries of indexes may be ahead of the session of the write, until a
 * repair.
 */
export const abandoned = (write: Write, log: Log, torn: Torn): Promise<Remains> =>
  onTorn(torn, async (first) => {
    const { trial, sight } = await goneOn(write, log, first);
    const entries = await wrongEntries(trial.client, 'colloquy');
    const others = entries.filter((entry) => entry.startsWith(OTHER));
    expectEqual(others, [], 'entries of another session');
    await repaired(trial, sight);
    expectEqual(await wrongEntries(trial.client, 'colloquy'), [], 'wrong entries after a repair');
    const ghosts = await expectExact(trial, sight);
    await crashAgain(trial);
    return { entries: entries.length, ghosts: ghosts.length };
  });

const historyOf = ({ sessions }: Sight) =>
  sessions.find(({ head }) => head.id === TARGET)?.history ?? [];

/**
 * The caller comes back after the second crash, and does the write again. A repair may have to
 * remove entries of indexes that were to be removed after the record: readers do not show them.
 */
export const repeatedLate = (write: Write, log: Log, torn: Torn): Promise<Remains> =>
  onTorn(torn, async (first) => {
    const { trial, side, isIn, both } = await goneOn(write, log, first);
    await write.run(trial);
    const sight = await glanceAt(trial);
    await repaired(trial, sight);
    const added = historyOf(log.after).slice(historyOf(log.before).length);
    const isBehind = side === 'before' && isIn && (write.isRewind || added.length > 0);
    const stated = (sight: Sight) => (write.isStated ? withInboxOf(sight, log.after) : sight);
    const behind = () =>
      write.isRewind
        ? withEntry(log.after, OTHER, LATE)
        : withEntry(stated(both(log.before)), TARGET, ...added);
    const expected = isBehind ? behind() : both(log.after);
    expectEqual(withoutRevisions(sight), withoutRevisions(expected), 'what was repeated late');
    return crashAgain(trial);
  });
