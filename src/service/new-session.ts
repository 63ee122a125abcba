import { err, ok, type Result } from 'neverthrow';
import type { ParsedCreation } from '../input/create-input.js';
import { entriesAt } from '../input/entries-input.js';
import { allowedMsOf } from '../input/input-policy.js';
import { type Creation, planCreate } from '../plan/create.js';
import { newBudget } from '../session/budget.js';
import { timestampOf } from '../session/clock.js';
import { digestOf } from '../session/digest-of.js';
import {
  type HistoryFull,
  historyFull,
  type Misconfigured,
  tooManyActive,
} from '../session/errors.js';
import { initialState } from '../session/initial-state.js';
import { copyJson } from '../session/json.js';
import type { CreatedSession, HistoryEntry } from '../session/session.js';
import { sessionAt } from '../session/session-at.js';
import type { SessionHead } from '../session/session-record.js';
import { activeSessionsOf } from './active-sessions.js';
import { type CreationError, type ForkSource, readForkSource } from './fork-source.js';
import { contractBroken } from './run-operation.js';
import type { Settings } from './settings.js';

const noEntries: readonly HistoryEntry[] = Object.freeze([]);

const entriesOf = (
  { policy: { limits } }: Settings,
  { entries }: ParsedCreation,
  source: ForkSource | undefined,
  id: string,
  now: number,
): Result<readonly HistoryEntry[], HistoryFull> => {
  if (source === undefined && entries.length === 0) return ok(noEntries);
  const all = [...(source?.entries ?? []), ...entriesAt(now, entries)];
  if (all.length > limits.historyEntries) return err(historyFull(id, limits.historyEntries));
  return ok(all);
};

const guardsOf = (
  settings: Settings,
  { start }: ParsedCreation,
  source: ForkSource | undefined,
  now: number,
): Result<Creation['guards'], Misconfigured> => {
  const version = source && { id: source.origin.id, version: source.version };
  if (!start) return ok({ source: version });
  return activeSessionsOf(settings).map((sessions) => ({
    source: version,
    live: sessions === undefined ? undefined : { sessions, now },
  }));
};

/** Spreads nothing for most sessions, because spreads cost as much as the rest of a create. */
const headOf = (
  head: SessionHead,
  source: ForkSource | undefined,
  { idempotencyKey, content }: ParsedCreation,
): SessionHead => {
  if (source === undefined && idempotencyKey === undefined) return head;
  return {
    ...head,
    ...(source && { origin: source.origin }),
    ...(idempotencyKey !== undefined && { digest: digestOf(content) }),
  };
};

const newSession = (
  settings: Settings,
  creation: ParsedCreation,
  source: ForkSource | undefined,
  id: string,
  now: number,
): Result<Creation, CreationError> => {
  const { terms, policy } = settings;
  const { options } = creation;
  const createdAt = timestampOf(now);
  const head = headOf({ id, options, createdAt }, source, creation);
  const { labels, metadata, start, wake } = creation;
  const budget = creation.budget && newBudget(creation.budget);
  const limitMs = allowedMsOf(policy, options.timeLimit);
  const revision = settings.revision();
  const data = { labels, metadata, budget };
  const state = initialState({ limitMs, terms, ...data, now, start, wake, revision });
  const entries = entriesOf(settings, creation, source, id, now);
  if (entries.isErr()) return err(entries.error);
  return guardsOf(settings, creation, source, now).map((guards) => ({
    head,
    state,
    entries: entries.value,
    guards,
  }));
};

const createdSession = (
  { head, state, entries }: Creation,
  { historyLimit }: ParsedCreation,
  now: number,
): CreatedSession => {
  const latest = entries.slice(Math.max(0, entries.length - (historyLimit ?? entries.length)));
  // The store may keep the objects that it receives.
  const own = { ...head, options: { ...head.options } };
  const history = latest.map((entry) => copyJson(entry));
  return sessionAt({ head: own, state, history, historyCount: entries.length }, now);
};

export const tryCreate = async (
  settings: Settings,
  creation: ParsedCreation,
  id: string,
): Promise<Result<CreatedSession | 'taken' | 'source_changed', CreationError>> => {
  const { store, tenant, recentStates } = settings;
  const { from } = creation;
  const read = from === undefined ? ok(undefined) : await readForkSource(settings, from);
  if (read.isErr()) return err(read.error);
  const source = read.value;
  if (from !== undefined && source === undefined) return ok('source_changed');
  const time = settings.now();
  if (time.isErr()) return err(time.error);
  const created = newSession(settings, creation, source, id, time.value);
  if (created.isErr()) return err(created.error);
  const answer = await store.begin(planCreate(tenant, created.value));
  if (answer.isErr()) return err(answer.error);
  const begun = answer.value;
  if (begun.outcome === 'refused') {
    const { live } = created.value.guards;
    if (begun.guard === 'absent') return ok('taken');
    if (begun.guard === 'source' && source !== undefined) return ok('source_changed');
    if (begun.guard === 'live' && live !== undefined) return err(tooManyActive(id, live.sessions));
  }
  if (begun.outcome !== 'made') throw contractBroken('begin', begun);
  recentStates.add({ tenant, id }, created.value.state);
  return ok(createdSession(created.value, creation, time.value));
};
