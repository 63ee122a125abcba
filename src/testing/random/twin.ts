import {
  type BeginCommit,
  type ChangeCommit,
  type EventPart,
  isMove,
  isRedaction,
  type StateChange,
  type UseChange,
} from '../../store/commit.js';
import type { DueKey } from '../../store/session-store.js';
import { difference } from '../answers.js';

/** Pairs of values of the store and the model, one to one and in the same order. */
class Pairs<T extends number | string> {
  readonly #ofModel = new Map<T, T>();
  readonly #ofStore = new Map<T, T>();

  get known(): readonly T[] {
    return [...this.#ofModel.keys()];
  }

  of(model: T): T {
    return this.#ofModel.get(model) ?? model;
  }

  /** Whether the values can be a pair. If so, they are from now on. */
  match(model: T, store: T): boolean {
    if (this.#ofModel.has(model)) return this.#ofModel.get(model) === store;
    if (this.#ofStore.has(store) || !this.#isInOrder(model, store)) return false;
    this.#ofModel.set(model, store);
    this.#ofStore.set(store, model);
    return true;
  }

  #isInOrder(model: T, store: T): boolean {
    if (typeof model === 'string') return true;
    for (const [other, counterpart] of this.#ofModel)
      if (other < model !== counterpart < store) return false;
    return true;
  }
}

const POSITIONS = /^(position|historyPosition|start|rewoundTo|positions\[\d+\])$/;

interface Answered {
  readonly outcome: string;
  readonly guard?: string;
}

const shownAnswer = ({ outcome, guard }: Answered): string =>
  guard === undefined ? outcome : `${outcome} by ${guard}`;

/** Compares answers of the store and the model, which have different opaque values. */
export class Twin {
  readonly #versions = new Pairs<string>();
  readonly #incarnations = new Pairs<string>();
  readonly #positions = new Map<string, Pairs<number>>();

  /** The positions of a session that the store has returned. */
  positionsOf(incarnation: string): readonly number[] {
    return this.#positionsOf(incarnation).known;
  }

  storePosition(incarnation: string, position: number): number {
    return this.#positionsOf(incarnation).of(position);
  }

  /** Describes the first difference of an answer about a session. */
  difference(
    actual: unknown,
    expected: unknown,
    what: string,
    incarnation = '',
  ): string | undefined {
    return difference(actual, expected, what, (store, model, name) => {
      if (typeof store === 'number' && typeof model === 'number' && POSITIONS.test(name))
        return this.#positionsOf(incarnation).match(model, store);
      if (typeof store !== 'string' || typeof model !== 'string') return undefined;
      if (name === 'version' || name === 'historyVersion')
        return this.#versions.match(model, store);
      if (name !== 'incarnation') return undefined;
      return this.#incarnations.match(model, store);
    });
  }

  /** Describes the first difference of the answers to a call: the guard, then the rest. */
  answer(actual: Answered, expected: Answered, call: string, incarnation?: string) {
    return (
      difference(shownAnswer(actual), shownAnswer(expected), `the answer to ${call}`) ??
      this.difference(actual, expected, `the answer to ${call}`, incarnation)
    );
  }

  /** A begin of the model with the version of the store. */
  begin(commit: BeginCommit): BeginCommit {
    const { source } = commit.guards;
    if (source === undefined) return commit;
    const version = this.#versions.of(source.version);
    return { ...commit, guards: { ...commit.guards, source: { ...source, version } } };
  }

  /** A change of the model with the positions of the store. */
  change(commit: ChangeCommit, incarnation = ''): ChangeCommit {
    if (isMove(commit)) return commit;
    const positions = this.#positionsOf(incarnation);
    if (isRedaction(commit)) {
      const redact = commit.effects.redact.map((position) => positions.of(position));
      return { ...commit, effects: { ...commit.effects, redact } };
    }
    const { effects } = commit;
    const storeOf = (position?: number) => position && positions.of(position);
    const end = storeOf(commit.guards.end);
    const truncate = storeOf(effects.truncate);
    const events = effects.events.map(
      (event): EventPart =>
        event.type === 'appended' && truncate !== undefined ? { ...event, after: truncate } : event,
    );
    const translate = <C extends StateChange | UseChange>(each: C): C => ({
      ...each,
      guards: { ...each.guards, end },
      effects: { ...each.effects, truncate, events },
    });
    return translate(commit);
  }

  #positionsOf(incarnation: string): Pairs<number> {
    const known = this.#positions.get(incarnation);
    if (known !== undefined) return known;
    const pairs = new Pairs<number>();
    pairs.match(0, 0);
    this.#positions.set(incarnation, pairs);
    return pairs;
  }
}

export const textOf = ({ id, removal }: DueKey): string =>
  removal === undefined ? id : `what is left of ${id} (${removal})`;
