import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionChange, SessionService, StoreError, WatchOptions } from '../../src/index.js';
import type { Answer, SessionStore } from '../../src/store/session-store.js';
import { moreIfLong } from '../support/continuous-integration.js';
import { pick, turns } from '../support/plans.js';
import { rewindTo } from '../support/rewind-to.js';
import { ada, okOf, openSessions } from '../support/sessions.js';
import { changed } from '../support/store-doubles.js';

const number = fc.nat({ max: 1000 });
const step = fc.oneof(
  { weight: 6, arbitrary: fc.record({ does: fc.constant('append' as const), number }) },
  {
    weight: 1,
    arbitrary: fc.record({ does: fc.constantFrom('rewind' as const, 'redact' as const), number }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constantFrom('pause' as const, 'update' as const), number }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('recreate' as const), number }) },
  { weight: 3, arbitrary: fc.record({ does: fc.constant('take' as const), number }) },
  {
    weight: 3,
    arbitrary: fc.record({ does: fc.constantFrom('watch' as const, 'resume' as const), number }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('turn' as const), number }) },
);
/**
 * `delays`: how many turns of the event loop each read of the store takes. `length`: the events
 * that it keeps.
 */
const plans = fc.record({
  steps: fc.array(step, { minLength: 10, maxLength: 40 }),
  delays: fc.array(fc.nat({ max: 4 }), { minLength: 1, maxLength: 10 }),
  length: fc.integer({ min: 1, max: 20 }),
});

type Plan = typeof plans extends fc.Arbitrary<infer P> ? P : never;

/** The same store, whose reads take a while. */
const delayed = (store: MemorySessionStore, delays: readonly number[]): SessionStore => {
  let reads = 0;
  const slowly = <T, E = never>(
    answer: () => Answer<T, StoreError | E>,
  ): ResultAsync<T, StoreError | E> => {
    reads += 1;
    const wait = turns(delays[reads % delays.length] ?? 0);
    return new ResultAsync(wait.then(answer));
  };
  return changed(store, {
    events: store.events,
    find: (...args) => slowly(() => store.find(...args)),
    entries: (...args) => slowly(() => store.entries(...args)),
  });
};

/** What a program that only reads the items of a watch knows of its session. */
interface Known {
  readonly contents: readonly string[];
  readonly status: string;
  readonly labels: string;
  readonly cursor: string | undefined;
}

const nothing: Known = { contents: [], status: '', labels: '', cursor: undefined };

const learned = ({ contents, ...known }: Known, change: SessionChange): Known => {
  const { cursor } = change;
  if (change.type !== 'session.snapshot' && change.type !== 'session.changed')
    return { ...known, contents, cursor };
  const { status, labels } = change.session;
  const added = change.type === 'session.snapshot' ? change.session.history : change.entries;
  const all = [
    ...(change.type === 'session.snapshot' ? [] : contents),
    ...added.map(({ content }) => content),
  ];
  return { contents: all, status, labels: JSON.stringify(labels), cursor };
};

class Reader {
  known: Known;
  /** What was known after each item. */
  readonly past: Known[] = [];
  readonly #items: AsyncIterator<{ _unsafeUnwrap(): SessionChange }, unknown>;
  readonly #end = new AbortController();
  #taking: Promise<void> | undefined;

  constructor(sessions: SessionService, id: string, known: Known) {
    this.known = known;
    const { signal } = this.#end;
    const options: WatchOptions =
      known.cursor === undefined ? { signal } : { signal, cursor: known.cursor };
    this.#items = sessions.watch(id, options)[Symbol.asyncIterator]();
  }

  /** Requests the next item, unless a request is still pending. */
  take(): Promise<void> {
    this.#taking ??= this.#items.next().then(({ value, done }) => {
      this.#taking = undefined;
      if (done === true) return;
      this.known = learned(this.known, Object(value)._unsafeUnwrap());
      this.past.push(this.known);
    });
    return this.#taking;
  }

  leave(): void {
    this.#end.abort();
  }
}

const said = (content: string) => [{ role: 'user', content }];

/** Executes a plan. Returns the session at the end, and what each reader knows of it. */
const carryOut = async ({ steps, delays, length }: Plan) => {
  const store = new MemorySessionStore({ events: { length } });
  const { sessions } = openSessions({ store: delayed(store, delays) });
  const input = { ...ada, start: true, idempotencyKey: 'talk' };
  const { id } = await okOf(sessions.create(input));
  const readers: Reader[] = [];
  let count = 0;
  const positions = async () =>
    (await okOf(sessions.history(id))).entries.map(({ position }) => position);
  const next = (): string => {
    count += 1;
    return `entry ${count}`;
  };
  for (const { does, number: at } of steps) {
    if (does === 'append') await sessions.append(id, said(next()));
    if (does === 'rewind')
      await rewindTo(
        sessions,
        id,
        pick(await positions(), at) ?? 0,
        at % 2 === 0 ? [] : said(next()),
      );
    if (does === 'redact') await sessions.redact(id, [pick(await positions(), at) ?? 0]);
    if (does === 'pause') await (at % 2 === 0 ? sessions.pause(id) : sessions.resume(id));
    if (does === 'update') await sessions.update(id, { labels: { at: String(at) } });
    if (does === 'take') void pick(readers, at)?.take();
    if (does === 'turn') await turns(at % 8);
    if (does === 'watch') readers.push(new Reader(sessions, id, nothing));
    const past = readers.flatMap((reader) => reader.past);
    if (does === 'resume') readers.push(new Reader(sessions, id, pick(past, at) ?? nothing));
    if (does !== 'recreate') continue;
    // A deletion is the end of a watch, or its error if it is still opening.
    for (const reader of readers.splice(0)) reader.leave();
    await sessions.delete(id);
    await sessions.create(input);
  }
  await sessions.append(id, said('last'));
  await sessions.resume(id);
  const { history, status, labels } = await okOf(sessions.get(id));
  const last = {
    contents: history.map(({ content }) => content),
    status,
    labels: JSON.stringify(labels),
  };
  const isAsLast = ({ cursor: _, ...known }: Known): boolean =>
    JSON.stringify(known) === JSON.stringify(last);
  for (const reader of readers) {
    for (let left = 300; left > 0 && !isAsLast(reader.known); left -= 1) {
      void reader.take();
      await turn();
    }
    reader.leave();
  }
  return { last, known: readers.map((reader) => reader.known) };
};

test('the items of a watch suffice to know the current session, wherever it resumes', async () => {
  const property = fc.asyncProperty(plans, async (plan) => {
    const { last, known } = await carryOut(plan);
    for (const { cursor: _, ...each } of known) expect(each).toEqual(last);
  });
  await fc.assert(property, { numRuns: moreIfLong(200, 5000) });
});
