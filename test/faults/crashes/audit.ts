import type { SessionService } from '../../../src/index.js';
import type { Ledger } from './writer.js';

/** Differences from what the writers were answered. */
export interface Audit {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
  readonly outOfOrder: readonly string[];
  readonly unlisted: readonly string[];
  readonly others: readonly string[];
  readonly sessions: number;
}

const idsListed = async (sessions: SessionService): Promise<ReadonlyMap<string, number>> => {
  const times = new Map<string, number>();
  for (let page = 1; ; page += 1) {
    const listed = (await sessions.list({ limit: 100, page }))._unsafeUnwrap();
    for (const { id } of listed.sessions) times.set(id, (times.get(id) ?? 0) + 1);
    if (listed.unreadable.length > 0)
      throw new Error(`unreadable: ${listed.unreadable.join(', ')}`);
    if (listed.sessions.length === 0) return times;
  }
};

const isInOrder = (part: readonly string[], whole: readonly string[]): boolean => {
  let at = 0;
  for (const content of whole) if (content === part[at]) at += 1;
  return at === part.length;
};

/** Compares every session with its writer's ledger, and the list with both. */
export const audit = async (
  sessions: SessionService,
  ledgers: readonly Ledger[],
): Promise<Audit> => {
  const found = { lost: [] as string[], doubled: [] as string[], outOfOrder: [] as string[] };
  const unlisted: string[] = [];
  const others: string[] = [];
  const listed = await idsListed(sessions);
  for (const { id, acknowledged, doubtful, statuses, deleted } of ledgers) {
    const session = (await sessions.get(id)).unwrapOr(undefined);
    const times = listed.get(id) ?? 0;
    if (times > 1) others.push(`${id} is listed ${times} times`);
    if (session === undefined) {
      if (deleted === 'no') found.lost.push(id);
      if (times > 0) others.push(`${id} is gone and listed`);
      continue;
    }
    if (deleted === 'yes') others.push(`${id} came back`);
    if (times === 0) unlisted.push(id);
    if (!statuses.has(session.status))
      others.push(`${id} is ${session.status}, not ${[...statuses].join(' or ')}`);
    const contents = session.history.map(({ content }) => content);
    const seen = new Set(contents);
    found.lost.push(...acknowledged.filter((content) => !seen.has(content)));
    found.doubled.push(...contents.filter((content, at) => contents.indexOf(content) !== at));
    if (!isInOrder(acknowledged, contents)) found.outOfOrder.push(id);
    const known = new Set([...acknowledged, ...doubtful]);
    others.push(
      ...contents
        .filter((content) => !known.has(content))
        .map((content) => `nobody has written ${content}`),
    );
  }
  return { ...found, unlisted, others, sessions: listed.size };
};
