import { ok } from 'neverthrow';
import { MemorySessionStore } from '../../adapters/memory/index.js';
import type { SessionEvent } from '../../src/events/session-event.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import type { LoseEvents } from '../../src/testing/index.js';
import { changed } from '../support/store-doubles.js';

/** Makes a store that writes a change first and tells its event in a second step, so that an event can be lost. */
export const outboxStores = ({ repeats }: { readonly repeats: boolean }) => {
  const losing = new WeakSet<SessionStore>();

  const makeStore = (): SessionStore => {
    const inner = new MemorySessionStore({ events: true });
    const made: SessionEvent[] = [];
    const told: SessionEvent[] = [];
    let position = inner.events?.latest()._unsafeUnwrap();

    const tell = (event: SessionEvent | undefined): void => {
      if (event === undefined || losing.has(store)) return;
      told.push({ ...event, position: String(told.length + 1) });
    };
    const tellNew = <T>(answer: T): T => {
      const page = inner.events?.read('', position ?? '', 1000)._unsafeUnwrap();
      position = page?.position;
      for (const event of page?.events ?? []) {
        made.push(event);
        tell(event);
      }
      return answer;
    };
    const tellAgain = (key: SessionKey, isMeant: (event: SessionEvent) => boolean): void =>
      tell(made.findLast((event) => event.tenant === key.tenant && event.sessionId === key.id && isMeant(event)));

    const store = changed(inner, {
      insert: (tenant, head, state) =>
        tellNew(inner.insert(tenant, head, state)).map((outcome) => {
          if (outcome === 'taken') tellAgain({ tenant, id: head.id }, ({ type }) => type === 'session.created');
          return outcome;
        }),
      replace: (key, next) => tellNew(inner.replace(key, next)),
      append: (key, append) => {
        const before = made.length;
        return tellNew(inner.append(key, append)).map((answer) => {
          if (answer.outcome === 'appended' && made.length === before) {
            tellAgain(key, (event) => event.type === 'session.appended' && event.historyPosition === answer.position);
          }
          return answer;
        });
      },
      remove: (key, removal) => tellNew(inner.remove(key, removal)),
      events: {
        streamOf: () => '',
        latest: () => ok(String(told.length)),
        read: (_, behind, limit) => {
          const events = structuredClone(told.slice(Number(behind), Number(behind) + limit));
          return ok({ events, position: String(Number(behind) + events.length), isTrimmed: false });
        },
        repeat: (key) => {
          if (repeats) tellAgain(key, ({ type }) => type !== 'session.appended');
          return ok(undefined);
        },
      },
    });
    return store;
  };

  const loseEvents: LoseEvents<SessionStore> = async (store, change) => {
    losing.add(store);
    await change().finally(() => losing.delete(store));
  };

  return { makeStore, loseEvents };
};
