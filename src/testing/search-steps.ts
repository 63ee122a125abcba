import type { SessionLabels } from '../session/session.js';
import { ended, headOf, keyOf, live, NOON, noTerms, TENANT } from './samples.js';
import { answerOf, insert, repeatUntil, replace } from './steps.js';
import type { ListCursor, PageRange, TodaysStore } from './todays-store.js';

export const mine: SessionLabels = { user: 'u-1' };

export const pageOf = async (store: TodaysStore, range: Partial<PageRange>, tenant = TENANT) => {
  const {
    records,
    total,
    nextCursor: next,
  } = await answerOf(store.list(tenant, { offset: 0, limit: 100, ...range }));
  return { ids: records.map(({ head }) => head.id), total, next };
};

/** The ids of all pages, read with cursors. */
export const walk = async (
  store: TodaysStore,
  range: Partial<PageRange>,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  let after: ListCursor | undefined;
  await repeatUntil('the last page', 20, async () => {
    const page = await pageOf(store, { ...range, cursor: after });
    ids.push(...page.ids);
    after = page.next;
    return page.next === undefined;
  });
  return ids;
};

export const at = (ms: number): string => new Date(NOON + ms).toISOString();

/** Sessions of `u-1` in every status and with every way to be updated, and one of `u-2`. */
export const insertUpdated = async (store: TodaysStore): Promise<void> => {
  const one = { revision: 1, labels: mine };
  await insert(
    store,
    keyOf('idle'),
    headOf('idle', NOON),
    live('IDLE', { ...one, lastActivityAt: NOON + 10 }),
  );
  await insert(store, keyOf('used'), headOf('used', NOON + 1), live('ACTIVE', one));
  await insert(
    store,
    keyOf('paused'),
    headOf('paused', NOON + 2),
    live('PAUSED', { ...one, lastActivityAt: NOON + 20 }),
  );
  const due = { ...one, deadline: NOON + 40, lastActivityAt: NOON + 5 };
  await insert(store, keyOf('due'), headOf('due', NOON + 3), live('ACTIVE', due));
  const inactive = {
    ...one,
    terms: { ...noTerms, inactivityTimeoutMs: 25 },
    lastActivityAt: NOON + 6,
  };
  await insert(store, keyOf('left'), headOf('left', NOON + 4), live('ACTIVE', inactive));
  await insert(
    store,
    keyOf('same'),
    headOf('same', NOON + 5),
    live('IDLE', { ...one, lastActivityAt: NOON + 10 }),
  );
  const over = {
    revision: 2,
    labels: mine,
    since: NOON + 30,
    lastActivityAt: NOON + 30,
    deadline: NOON + 35,
  };
  await insert(store, keyOf('over'), headOf('over', NOON + 6), live('IDLE', one));
  await replace(store, keyOf('over'), ended('terminated', over));
  await insert(
    store,
    keyOf('other'),
    headOf('other', NOON + 7),
    live('IDLE', { labels: { user: 'u-2' } }),
  );
  const entry = { role: 'user', content: 'hello', timestamp: at(0) };
  await answerOf(store.append(keyOf('used'), { entries: [entry], now: NOON + 50 }));
};
