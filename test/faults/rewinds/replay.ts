import type { SessionStore } from '../../../src/index.js';
import { SessionService } from '../../../src/index.js';
import { okOf } from '../../support/sessions.js';
import { eventsOf } from '../databases/audit.js';
import { carryOut } from './carry-out.js';
import type { Asked, Rewinders } from './rewinders.js';

/** Differences from what the writers were answered. */
export interface Replayed {
  /** Acknowledged, and without its event. */
  readonly lost: readonly string[];
  /** Positions that have more than one event, or are not higher than the one before. */
  readonly doubled: readonly number[];
  /**
   * Events of changes that nobody has asked for, or that say something else of the place that
   * entries follow.
   */
  readonly untrue: readonly string[];
  /**
   * The contents of the history as it is, and as the changes in the order of their positions make
   * it.
   */
  readonly shown: readonly string[];
  readonly replayed: readonly string[];
  readonly changes: number;
  /** Changes of which nobody was told, and that were made. */
  readonly settled: number;
}

const replay = (changes: readonly Asked[]): readonly string[] => {
  let history: readonly string[] = [];
  for (const { to, following, contents } of changes) {
    const kept = to === undefined ? history.length : history.indexOf(following ?? '') + 1;
    history = [...history.slice(0, kept), ...contents];
  }
  return history;
};

/** Asks again for what is in doubt, and gives the positions of what had been done. */
const settle = async (
  sessions: SessionService,
  id: string,
  inDoubt: readonly Asked[],
): Promise<Map<number, Asked>> => {
  const done = new Map<number, Asked>();
  for (const asked of inDoubt) {
    const again = await carryOut(sessions, id, asked);
    if (again.isOk() && again.value.repeated) done.set(again.value.position, asked);
    if (again.isErr() && again.error.type !== 'history_moved') throw new Error(again.error.message);
  }
  return done;
};

/**
 * Holds a history against what was asked and answered, in the order that the events of the session
 * give.
 */
export const replayOf = async (
  store: SessionStore,
  id: string,
  rewinders: Rewinders,
): Promise<Replayed> => {
  const sessions = new SessionService({ store });
  const events = ((await eventsOf(store, 'default')).get(id) ?? []).filter(
    ({ type }) => type === 'session.appended',
  );
  const shown = (await okOf(sessions.get(id))).history.map(({ content }) => content);
  const { acknowledged, inDoubt } = rewinders;
  const settled = await settle(sessions, id, inDoubt);
  const [doubled, untrue, changes]: [number[], string[], Asked[]] = [[], [], []];
  let last = 0;
  for (const event of events) {
    if (event.type !== 'session.appended') continue;
    const { historyPosition: position, rewoundTo } = event;
    if (position <= last) doubled.push(position);
    last = position;
    const asked = acknowledged.get(position) ?? settled.get(position);
    if (asked === undefined || asked.to !== rewoundTo)
      untrue.push(`${position} after ${rewoundTo}`);
    else changes.push(asked);
  }
  const told = new Set(changes);
  const lost = [...acknowledged.values()]
    .filter((asked) => !told.has(asked))
    .map(({ operationId }) => operationId);
  return {
    lost,
    doubled,
    untrue,
    shown,
    replayed: replay(changes),
    changes: changes.length,
    settled: settled.size,
  };
};
