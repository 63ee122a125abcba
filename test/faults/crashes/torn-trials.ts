import { isDeepStrictEqual } from 'node:util';
import { expectEqual } from '../../../src/testing/expect.js';
import { ada, okOf } from '../../support/sessions.js';
import { glanceAt, type Sight, sightOf, withEntry, withoutRevisions } from './sight.js';
import { type Log, onTorn, type Torn, type Trial, tailLength } from './torn-log.js';
import { said, TARGET, type Write } from './torn-writes.js';

const OTHER = 's1';

/** Which of the two this is; anything else is a write that is there by half. */
const sideOf = (sight: Sight, before: Sight, after: Sight): 'before' | 'after' => {
  if (isDeepStrictEqual(sight, before)) return 'before';
  expectEqual(sight, after, 'what was not as before');
  return 'after';
};

/**
 * Starts a server on the torn log, and looks at what it has made of it. Gives how much of the tail the server has left
 * and a digest of its data: two that agree in both have the same future.
 */
export const recover = (log: Log, torn: Torn): Promise<string> =>
  onTorn(torn, async ({ client, store, dir }) => {
    const outcome = `${await tailLength(dir)} ${String(await client.call('debug', 'digest'))}`;
    sideOf(await sightOf(store), log.before, log.after);
    return outcome;
  });

/** Other writes of all kinds; last one that is a single command, which no later one could bring to its end. */
const writeMore = async ({ sessions }: Trial): Promise<void> => {
  const { id } = await okOf(sessions.create({ ...ada, idempotencyKey: 'later' }));
  await okOf(sessions.start(id));
  await okOf(sessions.append(id, [said('later')], { operationId: 'later' }));
  await okOf(sessions.append(OTHER, [said('later')]));
};

const expectAllAfterCrash = async (trial: Trial): Promise<Trial> => {
  const acknowledged = await sightOf(trial.store);
  const restarted = await trial.crash();
  expectEqual(await sightOf(restarted.store), acknowledged, 'after another crash');
  return restarted;
};

/** The client sends its commands again, as it does by itself when it has no answer. */
export const resent = (log: Log, torn: Torn): Promise<unknown> =>
  onTorn(torn, async (trial) => {
    await log.resend(trial.client);
    expectEqual(await sightOf(trial.store), log.after, 'what was sent again');
    await writeMore(trial);
    await expectAllAfterCrash(trial);
  });

/** The caller does the write again. */
export const repeated = (write: Write, log: Log, torn: Torn): Promise<unknown> =>
  onTorn(torn, async (trial) => {
    await write.run(trial);
    const once = await sightOf(trial.store);
    expectEqual(withoutRevisions(once), withoutRevisions(log.after), 'what was repeated');
    await write.run(trial);
    expectEqual(await sightOf(trial.store), once, 'what was repeated twice');
    await writeMore(trial);
    await expectAllAfterCrash(trial);
  });

const historyOf = ({ sessions }: Sight) => sessions.find(({ head }) => head.id === TARGET)?.history ?? [];

/** Nobody repeats anything; others go on, and the server crashes again. At the very end the client comes back. */
export const abandoned = (log: Log, torn: Torn): Promise<unknown> =>
  onTorn(torn, async (first) => {
    const late = said('late');
    await okOf(first.sessions.append(OTHER, [late]));
    const isIn = (await first.sessions.append(TARGET, [late])).isOk();
    const others = (sight: Sight) => withEntry(sight, OTHER, late);
    const both = (sight: Sight) => (isIn ? withEntry(others(sight), TARGET, late) : others(sight));
    const second = await first.crash();
    // A closer look would take away entries that are there ahead of the write: its caller would add them again, and what
    // is sent again here has none.
    const side = sideOf(await glanceAt(second.store), both(log.before), both(log.after));
    await log.resend(second.client);
    // What it adds then stands behind what has come since.
    const added = historyOf(log.after).slice(historyOf(log.before).length);
    const target = log.after.sessions.find(({ head }) => head.id === TARGET);
    const behind =
      isIn && side === 'before'
        ? {
            sessions: others(log.after).sessions.map((session) =>
              session === target ? { ...session, history: [...historyOf(log.before), late, ...added] } : session,
            ),
          }
        : both(log.after);
    expectEqual(await sightOf(second.store), behind, 'what was sent again late');
    await expectAllAfterCrash(second);
  });
