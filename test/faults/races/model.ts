import type { SessionStatus } from '../../../src/index.js';

/**
 * The engine as a few pure lines, written from its documents and not from its code: what any store,
 * under any schedule, must be indistinguishable from. Times are milliseconds.
 */

export type Command =
  | { readonly type: 'create'; readonly key: string; readonly timeLimit: number }
  | {
      readonly type: 'start' | 'pause' | 'resume' | 'terminate' | 'fail';
      readonly key: string;
      readonly name?: string;
    }
  | {
      readonly type: 'append';
      readonly key: string;
      /** Nobody else has it, or only a repetition of the same append. */
      readonly text: string;
      readonly name?: string;
      /**
       * The text of the last entry as the caller saw it, or '' for none: the history must still end
       * there.
       */
      readonly ifLast?: string;
    }
  | {
      readonly type: 'rewind';
      readonly key: string;
      readonly text: string;
      readonly name?: string;
      readonly ifLast: string;
      /** The text of the entry after which the new one goes, or '' to clear. */
      readonly to: string;
    }
  | { readonly type: 'get' | 'delete'; readonly key: string }
  | { readonly type: 'list' }
  /** A page of so many, by status if one is given, with its total. */
  | {
      readonly type: 'page';
      readonly status: SessionStatus | undefined;
      readonly limit: number;
      readonly page: number;
    }
  | { readonly type: 'wait'; readonly ms: number };

interface ModelSession {
  readonly status: string;
  readonly endReason?: string;
  readonly spentMs: number;
  /** Since when it is ACTIVE. */
  readonly since: number;
  readonly limitMs: number;
  readonly timeLimit: number;
  readonly history: readonly string[];
  /** What was done under each name of an append and of a change: the text, or the command. */
  readonly names: ReadonlyMap<string, string>;
  /** Place in the order of creation. */
  readonly order: number;
}

export interface Model {
  readonly now: number;
  readonly created: number;
  readonly sessions: ReadonlyMap<string, ModelSession>;
}

export const emptyModel: Model = { now: 1_769_860_800_000, created: 0, sessions: new Map() };

const targets: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  IDLE: { start: 'ACTIVE', terminate: 'TERMINATED', fail: 'TERMINATED' },
  ACTIVE: { pause: 'PAUSED', terminate: 'TERMINATED', fail: 'TERMINATED' },
  PAUSED: { resume: 'ACTIVE', terminate: 'TERMINATED', fail: 'TERMINATED' },
  TERMINATED: { terminate: 'TERMINATED' },
};

const spent = (session: ModelSession, now: number): number =>
  session.status === 'ACTIVE'
    ? Math.min(session.limitMs, session.spentMs + now - session.since)
    : session.spentMs;

/** The session as it is at `now`, with its time limit taken into account. */
const at = (session: ModelSession, now: number): ModelSession =>
  session.status === 'ACTIVE' && spent(session, now) >= session.limitMs
    ? { ...session, status: 'TERMINATED', endReason: 'time_limit', spentMs: session.limitMs }
    : session;

const view = (session: ModelSession, now: number) => {
  const { status, endReason, history, timeLimit } = at(session, now);
  const durationMs = spent(at(session, now), now);
  const duration = Math.floor(durationMs / 1000);
  const historyCount = history.length;
  return {
    status,
    ...(endReason === undefined ? {} : { endReason }),
    duration,
    durationMs,
    history,
    historyCount,
    inbox: 0,
    timeLimit,
  };
};

const stateOf = (session: ModelSession, now: number) => {
  const {
    history: _,
    historyCount: __,
    inbox: ___,
    timeLimit: ____,
    ...state
  } = view(session, now);
  return state;
};

const put = (model: Model, key: string, session: ModelSession): Model => ({
  ...model,
  sessions: new Map(model.sessions).set(key, session),
});

type Step = readonly [Model, unknown];

const create = (model: Model, key: string, timeLimit: number): Step => {
  const known = model.sessions.get(key);
  if (known !== undefined) {
    const again = { ...view(known, model.now), repeated: true };
    return [model, known.timeLimit === timeLimit ? again : 'idempotency_mismatch'];
  }
  const session: ModelSession = {
    status: 'IDLE',
    spentMs: 0,
    since: model.now,
    limitMs: timeLimit === 0 ? Number.POSITIVE_INFINITY : timeLimit * 1000,
    timeLimit,
    history: [],
    names: new Map(),
    order: model.created,
  };
  const next = put({ ...model, created: model.created + 1 }, key, session);
  return [next, view(session, model.now)];
};

const change = (model: Model, key: string, command: string, name: string | undefined): Step => {
  const found = model.sessions.get(key);
  if (found === undefined) return [model, 'not_found'];
  const known = found.names.get(`change ${name}`);
  const again = { ...stateOf(found, model.now), repeated: true };
  if (known !== undefined) return [model, known === command ? again : 'operation_mismatch'];
  const session = at(found, model.now);
  const status = targets[session.status]?.[command];
  if (status === undefined) return [model, 'invalid_transition'];
  if (session.status === 'TERMINATED') return [model, stateOf(session, model.now)];
  const names =
    name === undefined ? session.names : new Map(session.names).set(`change ${name}`, command);
  const next = { ...session, spentMs: spent(session, model.now), since: model.now, status, names };
  const reason = command === 'fail' ? 'failed' : 'terminated';
  const changed = status === 'TERMINATED' ? { ...next, endReason: reason } : next;
  return [put(model, key, changed), stateOf(changed, model.now)];
};

/** Appends, or with `to` rewinds. Both have their names in common. */
const changeHistory = (
  model: Model,
  command: Command & { readonly type: 'append' | 'rewind' },
): Step => {
  const { key, text, name, ifLast } = command;
  const to = command.type === 'rewind' ? command.to : undefined;
  const found = model.sessions.get(key);
  if (found === undefined) return [model, 'not_found'];
  const known = found.names.get(`append ${name}`);
  const content = to === undefined ? text : `${text} after ${to}`;
  if (known !== undefined)
    return [model, known === content ? 'appended before' : 'operation_mismatch'];
  const { status } = at(found, model.now);
  if (status !== 'ACTIVE' && status !== 'PAUSED') return [model, 'invalid_transition'];
  if (ifLast !== undefined && ifLast !== (found.history.at(-1) ?? ''))
    return [model, 'history_moved'];
  const end = to === undefined ? found.history.length : ['', ...found.history].indexOf(to);
  if (end < 0) return [model, 'invalid_input'];
  const names =
    name === undefined ? found.names : new Map(found.names).set(`append ${name}`, content);
  return [
    put(model, key, { ...found, history: [...found.history.slice(0, end), text], names }),
    'appended',
  ];
};

const list = ({ sessions, now }: Model) =>
  [...sessions].sort(([, a], [, b]) => b.order - a.order).map(([, session]) => view(session, now));

const pageOf = (
  model: Model,
  status: SessionStatus | undefined,
  limit: number,
  page: number,
): unknown => {
  const all = list(model).filter((session) => status === undefined || session.status === status);
  return { sessions: all.slice((page - 1) * limit, page * limit), total: all.length };
};

/**
 * What a command does to the engine, and what it answers: a view, an error's type, `appended`, or
 * `appended before`.
 */
export const step = (model: Model, command: Command): Step => {
  switch (command.type) {
    case 'create':
      return create(model, command.key, command.timeLimit);
    case 'append':
    case 'rewind':
      return changeHistory(model, command);
    case 'get': {
      const found = model.sessions.get(command.key);
      return [model, found === undefined ? 'not_found' : view(found, model.now)];
    }
    case 'delete': {
      if (!model.sessions.has(command.key)) return [model, 'deleted'];
      const sessions = new Map(model.sessions);
      sessions.delete(command.key);
      return [{ ...model, sessions }, 'deleted'];
    }
    case 'list':
      return [model, list(model)];
    case 'page':
      return [model, pageOf(model, command.status, command.limit, command.page)];
    case 'wait':
      return [{ ...model, now: model.now + command.ms }, 'waited'];
    default:
      return change(model, command.key, command.type, command.name);
  }
};
