import type { PositionedEntry } from '../session/session.js';
import type { SessionKey } from '../session/session-key.js';
import type { StateRecord, WorkRecord } from '../session/session-record.js';
import type {
  Changed,
  EventPart,
  Guards,
  HistoryEffects,
  InboxEffects,
  MessageToStore,
  StateChange,
  UseChange,
} from '../store/commit.js';
import type { SessionStore, StoredMessage } from '../store/session-store.js';
import { answerOf, expectEqual } from './answers.js';
import { change, key, made, putOf, stateOf } from './commits.js';
import { NOON, SAME, say } from './samples.js';

export const messageOf = (id: string, content = id, digest = SAME): MessageToStore => ({
  entry: { ...say(content), id, message: true },
  digest,
});

export const sendOf = (
  message: MessageToStore,
  guards: Guards = {},
  { at = NOON, revision = 2, of = key } = {},
): UseChange => ({
  key: of,
  guards,
  effects: { send: { ...message, at, revision }, events: [{ type: 'sent', at: NOON }] },
});

/**
 * Sends messages, which wait from NOON on. A message that is given by its id has the id as its
 * content. Fails if a message is refused.
 */
export const send = async (
  store: SessionStore,
  messages: readonly (string | MessageToStore)[],
  of: SessionKey = key,
): Promise<void> => {
  for (const [at, each] of messages.entries()) {
    const message = typeof each === 'string' ? messageOf(each) : each;
    await made(store, sendOf(message, {}, { revision: 100 + at, of }));
  }
};

/** The effects of a put on the inbox and the history. */
export type InboxUse = InboxEffects &
  Partial<Pick<HistoryEffects, 'truncate' | 'entries' | 'send'>>;

/** The state after a use of an inbox that had this many messages. */
export const withInbox = (
  state: StateRecord,
  { inbox = 0, askedAt }: Pick<WorkRecord, 'inbox' | 'askedAt'>,
  use: InboxUse,
): StateRecord => {
  const { askedAt: _at, inbox: _count, ...work } = state.work;
  const gone = (use.take?.messages ?? 0) + (use.withdraw?.length ?? 0);
  const count = inbox + (use.send === undefined ? 0 : 1) - gone;
  if (count === 0) return { ...state, work };
  return { ...state, work: { ...work, inbox: count, ...(askedAt !== undefined && { askedAt }) } };
};

export const inboxOf = (state: StateRecord, use: InboxUse, guards: Guards = {}): StateChange => {
  const next = { ...withInbox(state, state.work, use), revision: state.revision + 1 };
  const { effects, ...rest } = putOf(key, next, state, guards);
  const types = [
    use.send && ('sent' as const),
    use.withdraw && ('withdrawn' as const),
    use.take && ('appended' as const),
  ];
  const events = types.flatMap((type): readonly EventPart[] => (type ? [{ type, at: NOON }] : []));
  return { ...rest, effects: { ...effects, ...use, events } };
};

/** Changes the inbox and the stored state, whatever the outcome. */
export const changeInbox = async (
  store: SessionStore,
  use: InboxUse,
  guards?: Guards,
): Promise<Changed> => {
  const state = await stateOf(store);
  if (state === undefined) throw new Error('there is no session');
  return change(store, inboxOf(state, use, guards));
};

/** Takes the oldest messages, and returns them. Fails if the store refuses it. */
export const take = async (
  store: SessionStore,
  messages: number,
  turn = 1,
): Promise<readonly PositionedEntry[]> => {
  const changed = await changeInbox(store, { take: { messages, turn } });
  expectEqual(changed.outcome, 'made', 'the outcome of a take');
  return changed.outcome === 'made' ? (changed.messages ?? []) : [];
};

export const known = async (
  store: SessionStore,
  ids: readonly string[],
): Promise<readonly StoredMessage[]> => {
  const found = await answerOf(store.messages(key, ids));
  return found.toSorted((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id));
};

export const waitingIds = async (
  store: SessionStore,
  of: SessionKey = key,
): Promise<readonly string[]> => (await answerOf(store.messages(of))).map(({ id }) => id);
