import {
  type SessionEvent,
  SessionService,
  type SessionStore,
  type TenantChange,
} from '../../../src/index.js';
import { okOf } from '../../support/sessions.js';
import { type Given, judge, type Verdict } from '../events/ledger.js';
import { eventsOf } from './audit.js';

interface Watcher {
  readonly sessions: SessionService;
  readonly tenant: string;
  readonly given: Given<TenantChange>[];
  readonly done: Promise<void>;
  /** Called with each item. */
  onItem: (item: Given<TenantChange>) => void;
}

const watch = (store: SessionStore, tenant: string, signal: AbortSignal): Promise<Watcher> => {
  const sessions = new SessionService({ store }).forTenant(tenant);
  const given: Given<TenantChange>[] = [];
  return new Promise((resolve) => {
    const run = async () => {
      const onOpen = () => resolve(watcher);
      for await (const item of sessions.watchAll({ signal, onOpen, leases: true })) {
        const change = item._unsafeUnwrap();
        given.push(change);
        watcher.onItem(change);
      }
    };
    const watcher: Watcher = { sessions, tenant, given, done: run(), onItem: () => undefined };
  });
};

/**
 * A watch of each tenant, which must miss nothing, whatever happens to the database and to those
 * who write to it.
 */
export class Watchers {
  readonly #store: SessionStore;
  readonly #end: AbortController;
  readonly #watchers: readonly Watcher[];

  private constructor(store: SessionStore, end: AbortController, watchers: readonly Watcher[]) {
    this.#store = store;
    this.#end = end;
    this.#watchers = watchers;
  }

  static async start(store: SessionStore, tenants: readonly string[]): Promise<Watchers> {
    const end = new AbortController();
    return new Watchers(
      store,
      end,
      await Promise.all(tenants.map((tenant) => watch(store, tenant, end.signal))),
    );
  }

  /** Waits until every change so far was yielded, and compares the items with the log. */
  async end(): Promise<Verdict> {
    const sum = { seen: 0, doubled: 0, outOfOrder: 0, gapsTold: 0, missing: 0 };
    for (const watcher of this.#watchers) {
      await this.#last(watcher);
      const told: ReadonlyMap<string, readonly SessionEvent[]> = await eventsOf(
        this.#store,
        watcher.tenant,
      );
      const verdict = judge(watcher.given, told);
      sum.seen += verdict.seen;
      sum.doubled += verdict.doubled;
      sum.outOfOrder += verdict.outOfOrder;
      sum.gapsTold += verdict.gapsTold;
      sum.missing += verdict.missing;
    }
    this.#end.abort();
    await Promise.all(this.#watchers.map(({ done }) => done));
    return sum;
  }

  /** A change of its own comes after all others. */
  async #last(watcher: Watcher): Promise<void> {
    const { id } = await okOf(watcher.sessions.create({ face: 'ada', profile: 'tutor' }));
    const given = new Promise<void>((resolve) => {
      watcher.onItem = (item) => {
        if (item.type === 'session.deleted' && item.sessionId === id) resolve();
      };
    });
    await okOf(watcher.sessions.delete(id));
    await given;
  }
}
