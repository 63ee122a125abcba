import { ok, type Result } from 'neverthrow';
import type { SearchTooLarge } from '../../src/session/errors.js';
import { sameLabels } from '../../src/session/labels.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { stateAt } from '../../src/session/time-limits.js';
import { isSearch } from '../../src/store/page-range.js';
import type { PageRange, StatusAt } from '../../src/store/session-store.js';
import { labelTexts } from '../stored/labels.js';
import { MergedIndex, OrderedIndex } from './ordered-index.js';
import {
  type IndexPage,
  type NewestFirst,
  newestFirst,
  pageOf,
  searchSessions,
} from './page-of.js';
import type { QueueTimes, StoredSession } from './stored-session.js';
import type { TimeQueue } from './time-queue.js';

const inOrder = (a: StoredSession, b: StoredSession): number => newestFirst(a.head, b.head);

const newestFirstIndex = () => new OrderedIndex(inOrder);

export interface Queues {
  readonly due: TimeQueue;
  readonly work: TimeQueue;
  /** Sessions in `work` that have expired. */
  readonly over: TimeQueue;
}

export class TenantIndex {
  readonly #tenant: string;
  readonly #queues: Queues;
  readonly #sessions = new Map<string, StoredSession>();
  /** What is left of removed sessions, by their `removal` and id. */
  readonly #remains = new Map<string, StoredSession>();
  readonly #byCreation = newestFirstIndex();
  readonly #byStatus = {
    IDLE: newestFirstIndex(),
    ACTIVE: newestFirstIndex(),
    PAUSED: newestFirstIndex(),
    TERMINATED: newestFirstIndex(),
  };
  readonly #byLabel = new Map<string, OrderedIndex<StoredSession>>();
  /** The time for which the lists by status are correct. */
  #listedAt = Number.NEGATIVE_INFINITY;

  constructor(tenant: string, queues: Queues) {
    this.#tenant = tenant;
    this.#queues = queues;
  }

  get size(): number {
    return this.#sessions.size + this.#remains.size;
  }

  get(id: string, removal?: string): StoredSession | undefined {
    if (removal === undefined) return this.#sessions.get(id);
    return this.#remains.get(`${removal}:${id}`);
  }

  /** Only the queue of due sessions contains what is left of a removed session. */
  addRemains(remains: StoredSession): void {
    this.#remains.set(`${remains.removal}:${remains.head.id}`, remains);
    this.#schedule(remains);
  }

  add(session: StoredSession): void {
    this.#sessions.set(session.head.id, session);
    this.#byCreation.insert(session);
    this.#label(session);
    this.#list(session);
    this.#schedule(session);
  }

  change(session: StoredSession, next: StateRecord, times: QueueTimes): void {
    if (session.removal !== undefined) {
      this.#reschedule(session, next, times);
      return;
    }
    const isLabelled = !sameLabels(session.state.labels, next.labels);
    if (isLabelled) this.#unlabel(session);
    this.#byStatus[session.listedAs].remove(session);
    this.#reschedule(session, next, times);
    this.#list(session);
    if (isLabelled) this.#label(session);
  }

  liveAt(now: number): number {
    return this.#withStatus({ anyOf: ['ACTIVE', 'PAUSED'], now }).size;
  }

  remove(session: StoredSession): void {
    this.#unschedule(session);
    if (session.removal !== undefined) {
      this.#remains.delete(`${session.removal}:${session.head.id}`);
      return;
    }
    this.#byStatus[session.listedAs].remove(session);
    this.#byCreation.remove(session);
    this.#unlabel(session);
    this.#sessions.delete(session.head.id);
  }

  page(range: PageRange): Result<IndexPage, SearchTooLarge> {
    const indexes = this.#indexesFor(range);
    if (isSearch(range)) return searchSessions(range, indexes);
    return ok(pageOf(indexes[0], range));
  }

  /** Each index contains all sessions of the range. */
  #indexesFor({ labels, status }: PageRange): readonly [NewestFirst, ...NewestFirst[]] {
    const labelled = labelTexts(labels).map((label) => this.#byLabel.get(label));
    const [label, ...others] = labelled.map((index) => index ?? newestFirstIndex());
    if (label !== undefined) return [label, ...others];
    if (status !== undefined) return [this.#withStatus(status)];
    return [this.#byCreation];
  }

  /**
   * A session whose expiry is not stored moves to the list of TERMINATED sessions once its deadline
   * has passed, and back for a caller whose clock is behind.
   */
  #withStatus({ anyOf, now }: StatusAt): NewestFirst {
    const [from, to] = [Math.min(now, this.#listedAt), Math.max(now, this.#listedAt)];
    this.#listedAt = now;
    for (const session of this.#queues.due.between(this.#tenant, from, to)) {
      if (session.removal !== undefined) continue;
      this.#byStatus[session.listedAs].remove(session);
      this.#list(session);
    }
    const indexes = anyOf.map((status) => this.#byStatus[status]);
    const [index] = indexes;
    if (index !== undefined && indexes.length === 1) return index;
    return new MergedIndex(indexes, inOrder);
  }

  #list(session: StoredSession): void {
    session.listedAs = stateAt(session.state, this.#listedAt).status;
    this.#byStatus[session.listedAs].insert(session);
  }

  #label(session: StoredSession): void {
    for (const label of labelTexts(session.state.labels)) {
      const index = this.#byLabel.get(label) ?? newestFirstIndex();
      this.#byLabel.set(label, index);
      index.insert(session);
    }
  }

  #unlabel(session: StoredSession): void {
    for (const label of labelTexts(session.state.labels)) {
      const index = this.#byLabel.get(label);
      index?.remove(session);
      if (index?.size === 0) this.#byLabel.delete(label);
    }
  }

  #reschedule(session: StoredSession, next: StateRecord, times: QueueTimes): void {
    this.#unschedule(session);
    session.state = next;
    Object.assign(session, times);
    this.#schedule(session);
  }

  #schedule(session: StoredSession): void {
    this.#queues.due.add(session);
    this.#queues.work.add(session);
    this.#queues.over.add(session);
  }

  #unschedule(session: StoredSession): void {
    this.#queues.due.remove(session);
    this.#queues.work.remove(session);
    this.#queues.over.remove(session);
  }
}
