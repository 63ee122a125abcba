import { planAppend } from '../../plan/append.js';
import { planCreate } from '../../plan/create.js';
import { planReportedRemove } from '../../plan/remove.js';
import { planReplace } from '../../plan/replace.js';
import { planSend } from '../../plan/send.js';
import { newBudget } from '../../session/budget.js';
import { timestampOf } from '../../session/clock.js';
import { initialState } from '../../session/initial-state.js';
import type { HistoryEntry } from '../../session/session.js';
import type { DueKey } from '../../session/session-key.js';
import type { StateRecord } from '../../session/session-record.js';
import { endsAt } from '../../session/time-limits.js';
import type {
  BeginCommit,
  ChangeCommit,
  Guards,
  MessageToStore,
  RemoveCommit,
  UseChange,
} from '../../store/commit.js';
import type { TakeRange } from '../../store/session-store.js';
import { type InboxUse, withInbox } from '../inbox-steps.js';
import { headOf, NEVER, OTHER, SAME } from '../samples.js';
import type { Dice } from './dice.js';
import type { ModelSession, ModelStore } from './model-store.js';
import { nextState } from './random-states.js';

/** One call of a store. Positions, versions and the times of moves are those of the model. */
export type RandomStep =
  | { readonly call: 'begin'; readonly commit: BeginCommit }
  | { readonly call: 'change'; readonly commit: ChangeCommit }
  | { readonly call: 'remove'; readonly commit: RemoveCommit }
  | { readonly call: 'take'; readonly range: TakeRange & { readonly tenant: string } };

/** The state of the sequence before a step. */
export interface World {
  readonly model: ModelStore;
  readonly dice: Dice;
  readonly tenant: string;
  /** The clock of the step. It may be behind that of the step before. */
  readonly now: number;
  /** The number of the step, from 1 on. */
  readonly step: number;
  readonly states: readonly StateRecord[];
  /** All versions that the histories had, with the id of the session. */
  readonly versions: readonly { readonly id: string; readonly version: string }[];
  /** Whether the store can limit live sessions. */
  readonly hasStatuses: boolean;
  /** The positions of a session that the store has returned, by its incarnation. */
  readonly positionsOf: (incarnation: string) => readonly number[];
}

/** A position that is after the end of any history. */
const BEYOND = 10 ** 12;

const IDS = ['a', 'b', 'c'];

export const MESSAGES = ['m0', 'm1', 'm2', 'm3', 'm4', 'm5', 'm6', 'm7'];

const entriesOf = ({ dice, step, now }: World, count: number): readonly HistoryEntry[] =>
  Array.from({ length: count }, (_, at) => {
    const entry = { role: 'user', content: `${step}.${at} é`, timestamp: timestampOf(now) };
    return dice.chance(0.2) ? { ...entry, id: `e${step}`, data: { at } } : entry;
  });

const liveOf = ({ dice, now, hasStatuses }: World, share: number) =>
  hasStatuses ? dice.maybe(share, { sessions: dice.below(4), now }) : undefined;

const beginStep = (world: World, id: string): RandomStep => {
  const { dice, now, step: revision, tenant } = world;
  const terms = {
    idleTimeoutMs: dice.maybe(0.3, 500) ?? NEVER,
    inactivityTimeoutMs: dice.maybe(0.3, 150) ?? NEVER,
    retentionMs: dice.maybe(0.5, 300) ?? NEVER,
    graceMs: dice.maybe(0.4, 120) ?? 0,
  };
  const limitMs = dice.maybe(0.3, 600) ?? NEVER;
  const labels = dice.maybe(0.5, { user: 'ann' });
  const [start, wake] = [dice.chance(0.85), dice.chance(0.3)];
  const budget = dice.maybe(0.5, newBudget({ calls: 9, tokens: 1 + dice.below(60) }));
  const state = initialState({ limitMs, terms, labels, budget, now, revision, start, wake });
  const others = world.versions.filter((each) => each.id !== id);
  const guards = { source: dice.maybe(0.3, dice.pick(others)), live: liveOf(world, 0.3) };
  const entries = entriesOf(world, dice.below(3));
  const commit = planCreate(tenant, { head: headOf(id, now), state, entries, guards });
  return { call: 'begin', commit };
};

/** A position that the session has or had, or that it never had. */
const positionOf = (world: World, session: ModelSession | undefined): number => {
  const { dice, positionsOf } = world;
  if (dice.chance(0.07) || session === undefined) return BEYOND;
  if (dice.chance(0.5)) return session.history.end;
  return dice.pick(positionsOf(session.incarnation)) ?? 0;
};

const tokenOf = ({ dice }: World, session: ModelSession | undefined): number => {
  const token = session?.state.work.lease?.fencingToken ?? 1;
  return dice.chance(0.3) ? token + 1 : token;
};

/** Guards of any change, each in a share of the calls. */
const randomGuards = (world: World, session: ModelSession | undefined, share: number): Guards => {
  const { dice, now } = world;
  const state = session?.state;
  const used = state?.lastActivityAt ?? now;
  return {
    revision: dice.maybe(share / 2, dice.chance(0.8) ? (state?.revision ?? 1) : 1),
    unusedSince: dice.maybe(share / 2, used - (dice.maybe(0.4, 1) ?? 0)),
    open: dice.maybe(share, now),
    over: dice.maybe(share / 4, now),
    fence: dice.maybe(share, { token: tokenOf(world, session), now }),
    end: dice.maybe(share, positionOf(world, session)),
    entries: dice.maybe(share, 2 + dice.below(8)),
    live: liveOf(world, share / 3),
  };
};

/** A spend, with or without the name that becomes the latest. */
const spendOf = ({ dice, now, step: revision }: World, last?: string) => ({
  usage: { tokens: dice.below(30), ...(dice.chance(0.3) && { calls: 1 }) },
  free: dice.chance(0.6) ? ['tokens', 'calls'] : [],
  ...{ last, at: now, revision },
});

/** A spend without entries. Appends use other operation names. */
const spendStep = (world: World, id: string): RandomStep => {
  const { model, dice, now, tenant } = world;
  const key = { tenant, id };
  const digest = dice.chance(0.7) ? SAME : OTHER;
  const operation = dice.maybe(0.6, { id: `spend${dice.below(4)}`, digest });
  const spend = spendOf(world, operation && `${operation.id}:${digest}`);
  const { guards, effects } = planAppend(key, { entries: [], now, spend });
  const others = randomGuards(world, model.sessionAt(key), 0.08);
  const all = { ...others, open: dice.maybe(0.4, guards.open), operation };
  return { call: 'change', commit: { key, guards: all, effects } };
};

const appendStep = (world: World, id: string): RandomStep => {
  const { model, dice, now, tenant } = world;
  const key = { tenant, id };
  const session = model.sessionAt(key);
  const after = dice.maybe(0.3, positionOf(world, session));
  const digest = dice.chance(0.7) ? SAME : OTHER;
  const entries = entriesOf(world, after === undefined ? 1 + dice.below(3) : dice.below(3));
  const operation = dice.maybe(0.35, { id: `o${dice.below(4)}`, digest });
  const guards = { ...randomGuards(world, session, 0.15), operation };
  const event = { type: 'appended' as const, at: now, ...(after !== undefined && { after }) };
  const spend = entries.length > 0 ? dice.maybe(0.3, spendOf(world)) : undefined;
  const effects = { truncate: after, entries, spend, events: [event] };
  const isLate = dice.chance(0.15);
  const commit: UseChange = isLate
    ? { key, guards, effects }
    : {
        key,
        guards: { ...guards, open: dice.maybe(0.9, now) },
        effects: { ...effects, activity: now },
      };
  return { call: 'change', commit };
};

const messageOf = ({ dice, step, now }: World): MessageToStore => {
  const id = MESSAGES[dice.below(MESSAGES.length)] ?? '';
  const digest = dice.chance(0.8) ? SAME : OTHER;
  const entry = { role: 'user', content: `${step} é`, timestamp: timestampOf(now), id };
  return { entry: { ...entry, message: true }, digest };
};

/** A message with or without entries, and with guards that the planner may never set. */
const sendStep = (world: World, id: string): RandomStep => {
  const { model, dice, now, tenant, step: revision } = world;
  const key = { tenant, id };
  const message = messageOf(world);
  const { guards, effects } = planSend(key, { message, now, revision, maxMessages: 4 });
  const entries = dice.maybe(0.2, entriesOf(world, 1));
  const open = dice.maybe(0.7, guards.open);
  const all = { ...guards, ...randomGuards(world, model.sessionAt(key), 0.06), open };
  return { call: 'change', commit: { key, guards: all, effects: { ...effects, entries } } };
};

/** A use of the inbox by a turn. */
const inboxUse = (world: World, key: DueKey, inbox: number): InboxUse => {
  const { model, dice, step } = world;
  const ids = model.messages(key).map((message) => message.id);
  const withdraw = dice.maybe(
    0.3,
    ids.filter(() => dice.chance(0.3)),
  );
  const send = dice.maybe(0.1, messageOf(world));
  const most = inbox - (withdraw?.length ?? 0) + (send === undefined ? 0 : 1);
  const messages = dice.below(most + 1);
  return {
    ...(withdraw && { withdraw }),
    ...(send && { send }),
    ...(dice.chance(0.7) && { take: { messages, turn: step } }),
  };
};

/** A put of the state after a command, a lease, an update or the passing of time. */
const putStep = (world: World, key: DueKey): RandomStep | undefined => {
  const { model, dice, now, step: revision, states } = world;
  const session = model.sessionAt(key);
  const previous = dice.chance(0.85) ? session?.state : dice.pick(states);
  const next = previous && nextState(dice, previous, now);
  if (previous === undefined || next === undefined) return undefined;
  const use = dice.chance(0.4) ? inboxUse(world, key, previous.work.inbox ?? 0) : {};
  const work = dice.chance(0.7) ? previous.work : { ...previous.work, askedAt: now };
  const state = Object.freeze({ ...withInbox(next, work, use), revision });
  const live = key.removal === undefined ? liveOf(world, 0.2) : undefined;
  const planned = planReplace(key, { previous, state, now, live });
  if (key.removal !== undefined) return { call: 'change', commit: planned };
  const others = randomGuards(world, session, 0.06);
  const { revision: guarded, unusedSince = others.unusedSince } = planned.guards;
  const guards = { ...others, revision: guarded, unusedSince };
  const used = { ...planned.effects, ...use };
  if (dice.chance(0.7)) return { call: 'change', commit: { ...planned, guards, effects: used } };
  const entries = entriesOf(world, 1);
  const operation = dice.maybe(0.3, { id: `o${dice.below(4)}`, digest: SAME });
  const events = [...planned.effects.events, { type: 'appended' as const, at: now }];
  const effects = { ...used, entries, events };
  return { call: 'change', commit: { ...planned, guards: { ...guards, operation }, effects } };
};

const redactStep = ({ model, dice, now, tenant }: World, id: string): RandomStep => {
  const key = { tenant, id };
  const current = model.sessionAt(key)?.history.current.map(({ position }) => position) ?? [];
  const positions = current.filter(() => dice.chance(0.4));
  const redact = dice.chance(0.1) || positions.length === 0 ? [...positions, BEYOND] : positions;
  return { call: 'change', commit: { key, guards: {}, effects: { redact, at: now } } };
};

const moveStep = ({ model, dice, now }: World, key: DueKey): RandomStep | undefined => {
  const session = model.sessionAt(key);
  if (session === undefined || session.dueAt === NEVER) return undefined;
  const { dueAt, state } = session;
  const isBound = state.status !== 'TERMINATED' && state.report === undefined;
  const to = dice.chance(0.5) ? now + 1000 : dueAt + 10;
  const guards = {
    revision: dice.maybe(0.6, dice.chance(0.8) ? state.revision : 1),
    dueAt: dice.chance(0.85) ? dueAt : dueAt + 1,
  };
  const effects = { dueAt: isBound ? Math.min(to, endsAt(state)) : to };
  return { call: 'change', commit: { key, guards, effects } };
};

const removeStep = (world: World, key: DueKey): RandomStep => {
  const { model, dice, now, step } = world;
  const state = model.sessionAt(key)?.state;
  const { tenant, id, removal } = key;
  const revision = dice.maybe(0.4, dice.chance(0.7) ? (state?.revision ?? 1) : dice.below(2));
  const unusedSince = dice.maybe(0.2, (state?.lastActivityAt ?? now) - dice.below(2));
  const guards = { revision, unusedSince };
  if (removal !== undefined || state === undefined || dice.chance(0.5)) {
    const events = removal === undefined ? [{ type: 'deleted' as const, at: now }] : [];
    return { call: 'remove', commit: { key, guards, effects: { events } } };
  }
  return { call: 'remove', commit: planReportedRemove({ tenant, id }, state, now, step) };
};

const takeStep = ({ dice, now, tenant }: World): RandomStep => {
  const limit = dice.chance(0.7) ? 10 : 1 + dice.below(2);
  const range = { tenant, now, until: now + 50 + dice.below(200), limit };
  return { call: 'take', range: { ...range, inCompany: dice.chance(0.2) } };
};

/** A random step, or undefined if the chosen kind is impossible now. */
export const randomStep = (world: World): RandomStep | undefined => {
  const { model, dice, tenant } = world;
  const id = dice.pick(IDS) ?? 'a';
  const key = { tenant, id };
  const remains = model.sessionsOf(tenant).filter((each) => each.key.removal !== undefined);
  const any = (dice.chance(0.15) ? dice.pick(remains)?.key : undefined) ?? key;
  // Most calls find a session: without one, there is little to see.
  const isMissing = model.sessionAt(key) === undefined && dice.chance(0.7);
  const kind = isMissing ? 0 : dice.roll();
  if (kind < 0.06) return beginStep(world, id);
  if (kind < 0.38) return appendStep(world, id);
  if (kind < 0.46) return sendStep(world, id);
  if (kind < 0.54) return spendStep(world, id);
  if (kind < 0.75) return putStep(world, any);
  if (kind < 0.8) return redactStep(world, id);
  if (kind < 0.86) return moveStep(world, any);
  if (kind < 0.92) return removeStep(world, any);
  return takeStep(world);
};
