import { SessionService, type SessionStore } from '../../../src/index.js';
import { okOf } from '../../support/sessions.js';
import type { Spenders } from './spenders.js';
import { type Asked, carryOut, isNamed } from './spending.js';

/** The contents of the current history, without superseded entries. */
const contentsOf = async (sessions: SessionService, id: string): Promise<readonly string[]> => {
  const contents: string[] = [];
  for (let after = 0, hasMore = true; hasMore; ) {
    const part = await okOf(sessions.history(id, { after, limit: 100 }));
    contents.push(...part.entries.map(({ content }) => content));
    ({ position: after, hasMore } = part);
  }
  return contents;
};

const nameOf = ({ name }: Asked): string => name;

const grouped = (all: readonly Asked[]): ReadonlyMap<string, readonly Asked[]> => {
  const groups = new Map<string, Asked[]>();
  for (const asked of all) {
    const group = groups.get(asked.id);
    if (group === undefined) groups.set(asked.id, [asked]);
    else group.push(asked);
  }
  return groups;
};

/** Differences from what was acknowledged. */
export interface Audit {
  /** Sessions with wrong sums. */
  readonly off: readonly string[];
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** Acknowledged, or made now by its name. */
const settle = async (
  sessions: SessionService,
  { acknowledged, inDoubt }: Spenders,
): Promise<readonly Asked[]> => {
  const named = inDoubt.filter(isNamed);
  for (const asked of named) await okOf(carryOut(sessions, asked));
  return [...acknowledged, ...named];
};

const textOf = (tokens: unknown, writes: unknown): string => `${tokens} tokens, ${writes} writes`;

/** The sums of some writes, and of any of those that may have been made. */
const sumsOf = (made: readonly Asked[], possible: readonly Asked[]): ReadonlySet<string> => {
  const total = made.reduce((sum, { usage }) => sum + usage.tokens, 0);
  let sums = new Map([[textOf(total, made.length), [total, made.length] as const]]);
  for (const { usage } of possible) {
    const more = [...sums.values()].map(([tokens, writes]) => {
      const sum = [tokens + usage.tokens, writes + 1] as const;
      return [textOf(...sum), sum] as const;
    });
    sums = new Map([...sums, ...more]);
  }
  return new Set(sums.keys());
};

const isAppend = ({ kind }: Asked): boolean => kind === 'append' || kind === 'named append';

/**
 * Compares the sums of each session with what was acknowledged, after repeating named writes in
 * doubt. A plain append in doubt has counted if and only if its entry is stored; a plain spend once
 * or not at all.
 */
export const auditOf = async (store: SessionStore, spenders: Spenders): Promise<Audit> => {
  const sessions = new SessionService({ store });
  const made = grouped(await settle(sessions, spenders));
  const doubtful = grouped(spenders.inDoubt.filter((asked) => !isNamed(asked)));
  const [off, lost, doubled]: [string[], string[], string[]] = [[], [], []];
  for (const id of new Set([...made.keys(), ...doubtful.keys()])) {
    const contents = await contentsOf(sessions, id);
    const found = new Set(contents);
    const [certain, unclear] = [made.get(id) ?? [], doubtful.get(id) ?? []];
    const there = unclear.filter((asked) => isAppend(asked) && found.has(asked.name));
    const sums = sumsOf(
      [...certain, ...there],
      unclear.filter((asked) => !isAppend(asked)),
    );
    const { usage } = await okOf(sessions.get(id));
    const shown = textOf(usage?.['tokens'], usage?.['writes']);
    if (!sums.has(shown)) off.push(`${id}: ${shown} for ${[...sums].slice(0, 3).join(' or ')}`);
    if (found.size !== contents.length) doubled.push(id);
    lost.push(...certain.filter((asked) => isAppend(asked) && !found.has(asked.name)).map(nameOf));
  }
  return { off, lost, doubled };
};
