import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Session, SessionService, type TenantChange } from '../../src/index.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { describeDatabases } from '../support/databases.js';
import { olderCopyOf } from '../support/older-copy.js';
import { pick } from '../support/plans.js';
import { rewindTo } from '../support/rewind-to.js';
import { ada, okOf } from '../support/sessions.js';
import { trimLog } from '../support/trim-log.js';

const number = fc.nat({ max: 1000 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ does: fc.constant('append' as const), number }) },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('rewind' as const, 'redact' as const), number }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('pause' as const, 'update' as const), number }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('recreate' as const, 'lease' as const), number }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('open' as const, 'resume' as const), number }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('trim' as const, 'restore' as const), number }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('wait' as const), number }) },
);
const plans = fc.array(step, { minLength: 10, maxLength: 40 });

type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;

interface Row {
  readonly status: string;
  readonly labels: string;
  readonly contents: ReadonlyMap<number, string>;
}

const rowOf = (
  { status, labels }: Pick<Session, 'status' | 'labels'>,
  contents: Row['contents'],
): Row => ({
  status,
  labels: JSON.stringify(labels),
  contents,
});

/**
 * A dashboard of a tenant: lists the sessions once, and then only reads the items of `watchAll`.
 */
class Dashboard {
  readonly rows: Map<string, Row>;
  /** Events that came twice, or after a gap. */
  readonly mistakes: string[] = [];
  readonly #sessions: SessionService;
  readonly #end = new AbortController();
  /** The last change of each session since the last list, by its id in the events. */
  readonly lasts: Map<string, number>;
  cursor: string | undefined;

  #running: Promise<void> | undefined;

  /** `before`: the dashboard that it continues. */
  constructor(sessions: SessionService, before?: Dashboard) {
    this.#sessions = sessions;
    this.rows = new Map(before?.rows);
    this.lasts = new Map(before?.lasts);
    this.cursor = before?.cursor;
  }

  start(): void {
    this.#running = this.#run();
  }

  async #run(): Promise<void> {
    while (!this.#end.signal.aborted) {
      this.cursor ??= await this.list();
      const options = {
        cursor: this.cursor,
        entries: true,
        sessions: true,
        leases: true,
        signal: this.#end.signal,
      };
      for await (const change of this.#sessions.watchAll(options)) {
        const item = change._unsafeUnwrap();
        this.#show(item);
        this.cursor = item.type === 'events_lost' ? undefined : item.cursor;
        if (item.type === 'events_lost') break;
      }
    }
  }

  async leave(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  /** Gives the cursor to continue after. */
  async list(): Promise<string> {
    const { sessions, watchCursor: cursor = '' } = await okOf(
      this.#sessions.list({ limit: 100 }, { withWatchCursor: true }),
    );
    this.rows.clear();
    this.lasts.clear();
    for (const session of sessions) {
      const history = await this.#sessions.history(session.id, { last: 1000 });
      // It was deleted just now, which comes as an event.
      if (history.isErr()) continue;
      const { entries } = history.value;
      const contents = new Map(entries.map(({ position, content }) => [position, content]));
      this.rows.set(session.id, rowOf(session, contents));
    }
    return cursor;
  }

  #show(item: TenantChange): void {
    if (item.type === 'events_lost') return;
    const { id, sessionId, sequence } = item;
    const name = `${sessionId}/${id.slice(0, id.lastIndexOf('.'))}`;
    const last = this.lasts.get(name);
    if (last !== undefined && sequence !== last + 1) this.mistakes.push(`${id} after ${last}`);
    this.lasts.set(name, sequence);
    if (item.type === 'session.deleted') this.rows.delete(sessionId);
    if (item.session === undefined) return;
    const known = item.type === 'session.created' ? undefined : this.rows.get(sessionId)?.contents;
    const contents = new Map(known);
    if (item.type === 'session.appended') {
      for (const position of contents.keys())
        if (item.rewoundTo !== undefined && position > item.rewoundTo && position <= item.start)
          contents.delete(position);
      for (const { position, content } of item.entries ?? []) contents.set(position, content);
    }
    if (item.type === 'session.redacted')
      for (const position of item.positions) if (contents.has(position)) contents.set(position, '');
    this.rows.set(sessionId, rowOf(item.session, contents));
  }
}

const said = (content: string) => [{ role: 'user', content }];

const textOf = ({ rows }: Dashboard): string =>
  JSON.stringify(
    [...rows]
      .map(([id, { contents, ...row }]) => ({
        id,
        ...row,
        contents: [...contents].toSorted(([a], [b]) => a - b),
      }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  );

/** The sessions of the plans, which are made anew under their ids. */
const inputs = ['first', 'second'].map((idempotencyKey) => ({
  ...ada,
  start: true,
  idempotencyKey,
}));

describeDatabases('a dashboard that only reads the items of watchAll', (kind) => {
  const open = async () => {
    const { address, open: openStore, close } = await kind.create();
    const [store, other] = [openStore(), openStore()];
    const dashboards: Dashboard[] = [];
    const sessions = new SessionService({ store: other });
    const ids: string[] = [];
    for (const input of inputs) ids.push((await okOf(sessions.create(input))).id);
    return {
      address,
      close,
      stream: store.events?.streamOf('default') ?? '',
      here: new SessionService({ store }),
      sessions,
      dashboards,
      ids,
    };
  };

  type Opened = Awaited<ReturnType<typeof open>>;

  /**
   * Waits until all dashboards show the current sessions, or for as long as a busy machine may
   * need. Returns what they show.
   */
  const settled = async ({ sessions, dashboards }: Opened) => {
    const truth = new Dashboard(sessions);
    await truth.list();
    const expected = textOf(truth);
    const areRight = () => dashboards.every((dashboard) => textOf(dashboard) === expected);
    for (let left = 1000; left > 0 && !areRight(); left -= 1) await sleep(10);
    return { shown: dashboards.map(textOf), expected: dashboards.map(() => expected) };
  };

  /** Changes a session, which may refuse it. */
  const change = async ({ sessions, ids }: Opened, does: string, at: number): Promise<unknown> => {
    const id = pick(ids, at) ?? '';
    if (does === 'append') return sessions.append(id, said(`entry ${at}`));
    if (does === 'pause') return at % 2 === 0 ? sessions.pause(id) : sessions.resume(id);
    if (does === 'update') return sessions.update(id, { labels: { at: String(at) } });
    if (does === 'lease') return sessions.lease(id, { holder: String(at), seconds: 60 });
    if (does === 'recreate') {
      await sessions.delete(id);
      return sessions.create(inputs[ids.indexOf(id)] ?? ada);
    }
    const { entries } = await okOf(sessions.history(id, { last: 1000 }));
    const position = pick(entries, at)?.position ?? 0;
    if (does === 'redact') return sessions.redact(id, [position]);
    return rewindTo(sessions, id, position, at % 2 === 0 ? [] : said(`instead ${at}`));
  };

  /** Carries out what changes no session. */
  const look = async (
    { here, dashboards, address, stream }: Opened,
    does: string,
    at: number,
  ): Promise<void> => {
    if (does === 'trim') await trimLog(address, stream, 1 + (at % 5));
    if (does === 'wait') await sleep(at % 40);
    const before = does === 'resume' ? pick(dashboards, at) : undefined;
    if ((does !== 'open' && does !== 'resume') || dashboards.length > 6) return;
    const dashboard = new Dashboard(here, before);
    dashboards.push(dashboard);
    dashboard.start();
  };

  /**
   * Puts the database back to an older copy. A dashboard that lags behind it would not learn of it.
   */
  const restore = async (opened: Opened, lost: Plan): Promise<void> => {
    await settled(opened);
    const putBack = await olderCopyOf(opened.address);
    for (const { number: at } of lost) await change(opened, 'append', at);
    await settled(opened);
    await putBack();
  };

  const follow = async (opened: Opened, plan: Plan): Promise<void> => {
    for (const [index, { does, number: at }] of plan.entries()) {
      if (does === 'restore') await restore(opened, plan.slice(0, index % 4));
      else if (['trim', 'wait', 'open', 'resume'].includes(does)) await look(opened, does, at);
      else await change(opened, does, at);
    }
    // A server that was put back to a copy sends no notification of that, but of the next change.
    for (const at of opened.ids.keys()) await change(opened, 'append', at);
  };

  test('shows the current sessions, wherever it resumed and whatever the log lost', async () => {
    const property = fc.asyncProperty(plans, async (plan) => {
      const opened = await open();
      try {
        await follow(opened, plan);
        const { shown, expected } = await settled(opened);
        expect(opened.dashboards.flatMap(({ mistakes }) => mistakes)).toEqual([]);
        expect(shown).toEqual(expected);
      } finally {
        // Each run opens connections of its own.
        await Promise.all(opened.dashboards.map((dashboard) => dashboard.leave()));
        await opened.close();
      }
    });
    // A failed case is not shrunk, because each attempt waits for events that never come.
    await fc.assert(property, { numRuns: moreIfLong(4, 200), endOnFailure: true });
  });
});
