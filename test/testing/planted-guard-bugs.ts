import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { ChangeCommit, Guards } from '../../src/store/commit.js';
import { changing, type Judged, type PlantedBug } from './planted-bug.js';

/** A store that reads guards in another way. */
const misguarding = (
  bug: string,
  caughtBy: string,
  misread: (guards: Guards) => Guards,
): PlantedBug =>
  changing(bug, caughtBy, (commit, inner) => {
    const guards = misread(commit.guards);
    return inner.change({ ...commit, guards } as ChangeCommit);
  });

const refusing = (guard: string) => `guards: a change that fails ${guard} writes nothing`;

const holding = (guard: string) => `guards: a change that passes ${guard} is made`;

const forgotten = (
  [
    'operation',
    'revision',
    'unusedSince',
    'open',
    'over',
    'fence',
    'inbox',
    'end',
    'entries',
    'live',
  ] as const
).map((guard) =>
  misguarding(`forgets the guard ${guard}`, refusing(guard), ({ [guard]: _, ...guards }) => guards),
);

/** The answer to a change of which only one guard is judged; undefined if it holds. */
const judgedAlone = (inner: MemorySessionStore, commit: Judged, guard: keyof Guards) => {
  const { [guard]: judged } = commit.guards;
  const guards = { entries: -1, [guard]: judged };
  const effects = { entries: [], events: [], truncate: 0 };
  const answer = inner.change({ key: { ...commit.key }, guards, effects });
  const changed = answer._unsafeUnwrap();
  const isOther = changed.outcome === 'refused' && changed.guard !== guard;
  return judged === undefined || isOther ? undefined : answer;
};

/** A store that checks a guard before all others. */
const swapped = (first: keyof Guards, later: string): PlantedBug =>
  changing(
    `checks ${later} before ${first}`,
    `guards: checks ${first} before `,
    (commit, inner) =>
      judgedAlone(inner, commit, later as keyof Guards) ?? inner.change(commit as ChangeCommit),
  );

const swaps = [
  swapped('revision', 'unusedSince'),
  swapped('unusedSince', 'open'),
  swapped('open', 'fence'),
  swapped('open', 'end'),
  swapped('fence', 'inbox'),
  swapped('inbox', 'end'),
];

const shifted = <K extends 'open' | 'over' | 'unusedSince' | 'entries' | 'inbox'>(
  name: K,
  by: number,
) => {
  return (guards: Guards): Guards => {
    const value = guards[name];
    return value === undefined ? guards : { ...guards, [name]: value + by };
  };
};

const bounds = [
  misguarding('takes a session for open at its end', refusing('open'), shifted('open', -1)),
  misguarding('takes a session for over a millisecond early', refusing('over'), shifted('over', 1)),
  misguarding(
    'takes a session for used at its last use',
    holding('unusedSince'),
    shifted('unusedSince', -1),
  ),
  misguarding('lets one message too many wait', refusing('inbox'), shifted('inbox', 1)),
  misguarding('lets one entry too many pass', refusing('entries'), shifted('entries', 1)),
  misguarding('lets a lease pass at its end', refusing('fence'), (guards) => {
    const { fence } = guards;
    return { ...guards, fence: fence && { ...fence, now: fence.now - 1 } };
  }),
  misguarding('lets a higher token pass', refusing('fence'), (guards) => {
    const { fence } = guards;
    return { ...guards, fence: fence && { ...fence, token: Math.min(fence.token, 7) } };
  }),
  misguarding('lets one live session too many pass', refusing('live'), (guards) => {
    const { live } = guards;
    return { ...guards, live: live && { ...live, sessions: live.sessions + 1 } };
  }),
];

/** A store that judges a change, waits, and then makes it without its guards. */
const racing = (
  caughtBy: string,
  guard: keyof Guards,
  kept: readonly (keyof Guards)[] = [],
): PlantedBug =>
  changing(`judges ${guard}, waits and writes`, caughtBy, async (commit, inner) => {
    const refused = judgedAlone(inner, commit, guard);
    await Promise.resolve();
    if (refused !== undefined) return refused;
    const guards = Object.fromEntries(kept.map((name) => [name, commit.guards[name]]));
    const { revision = 0 } = inner.findState(commit.key)._unsafeUnwrap() ?? {};
    const isPut = commit.effects.put !== undefined;
    return inner.change({ ...commit, guards: isPut ? { revision } : guards } as ChangeCommit);
  });

const races = [
  racing('races: of 50 puts on one revision, exactly one is made', 'revision'),
  racing('races: of 50 appends at one end, exactly one is made', 'end'),
  racing('races: of 50 appends to an unused session, exactly one is made', 'unusedSince'),
  racing('races: of 50 appends around an end, exactly those that pass open are stored', 'open'),
  racing('races: of 50 uses of an expired session, exactly one reopens it', 'over'),
];

export const plantedGuardBugs: readonly PlantedBug[] = [
  ...forgotten,
  ...swaps,
  ...bounds,
  ...races,
];
