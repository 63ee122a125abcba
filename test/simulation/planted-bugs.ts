import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import { hasLabels } from '../../src/session/labels.js';
import type { SessionHead, StateRecord } from '../../src/session/session-record.js';
import type { Changed, Guards, StateChange, UseChange } from '../../src/store/commit.js';
import type { SessionKey, SessionStore } from '../../src/store/session-store.js';
import type { Changes } from '../support/store-doubles.js';
import { eventsWith, labelOf, memoryStoreWith } from '../testing/planted-bug.js';

/** Returns the store methods that contain the bug. */
type Plant = (inner: MemorySessionStore) => Changes;

const stateOf = (inner: MemorySessionStore, key: SessionKey): StateRecord | undefined =>
  inner.findState(key)._unsafeUnwrap();

/** Appends with other guards. */
const misguarding =
  (misread: (guards: Guards, inner: MemorySessionStore, key: SessionKey) => Guards): Plant =>
  (inner) => ({
    use: (commit) => inner.change({ ...commit, guards: misread(commit.guards, inner, commit.key) }),
  });

/** Returns false results for appends. */
const misreporting =
  (report: (changed: Changed, commit: UseChange, inner: MemorySessionStore) => Changed): Plant =>
  (inner) => ({
    use: (commit) => inner.change(commit).map((changed) => report(changed, commit, inner)),
  });

/** Replaces a state although another change came first. */
const overwriting =
  (isMade: (commit: StateChange, stored: StateRecord) => boolean): Plant =>
  (inner) => ({
    put: (commit) => {
      const stored = stateOf(inner, commit.key);
      if (stored === undefined || !isMade(commit, stored)) return inner.change(commit);
      const { guards, effects } = commit;
      return inner.change({
        ...commit,
        guards: { ...guards, revision: stored.revision },
        effects: { ...effects, put: { ...effects.put, previous: stored } },
      });
    },
  });

/** Logs no events of one type. */
const silent =
  (type: string): Plant =>
  (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events
          .read(...args)
          .map((page) => ({ ...page, events: page.events.filter((event) => event.type !== type) })),
    })),
  });

/** Also counts sessions in these states in pages by label. */
const counting = (
  inner: MemorySessionStore,
  more: () => Iterable<StateRecord>,
): Pick<SessionStore, 'page'> => ({
  page: (tenant, range) =>
    inner.page(tenant, range).map((page) => {
      const { labels } = range;
      if (labels === undefined) return page;
      const wrong = [...more()].filter((state) => hasLabels(state.labels, labels));
      return { ...page, total: page.total + wrong.length };
    }),
});

const endOf = (inner: MemorySessionStore, key: SessionKey): number =>
  inner.find(key)._unsafeUnwrap()?.historyPosition ?? 0;

const NO_POSITION = 1e9;

/** Uses the numbers of current entries as positions. */
const renumbering: Plant = (inner) => {
  const entriesOf = (key: SessionKey) => {
    const found = inner.entries(key, { after: 0, limit: 10_000 })._unsafeUnwrap();
    return found.outcome === 'found' ? found.entries : [];
  };
  const numberOf = (key: SessionKey, position: number) =>
    entriesOf(key).filter((entry) => entry.position <= position).length;
  const positionOf = (key: SessionKey, number?: number) => {
    if (number === undefined || number === 0) return number;
    const entries = entriesOf(key);
    if (number === entries.length) return endOf(inner, key);
    return entries[number - 1]?.position ?? NO_POSITION;
  };
  const outward = <T extends object>(key: SessionKey, answer: T): T =>
    'position' in answer ? { ...answer, position: numberOf(key, Number(answer.position)) } : answer;
  return {
    use: (commit) => {
      const { key, guards, effects } = commit;
      const end = positionOf(key, guards.end);
      const truncate = positionOf(key, effects.truncate);
      return inner
        .change({ key, guards: { ...guards, end }, effects: { ...effects, truncate } })
        .map((changed) => outward(key, changed));
    },
    entries: (key, slice) => {
      const { after, before, ...rest } = slice;
      const [from, to] = [positionOf(key, after), positionOf(key, before)];
      const latest = to === undefined ? rest : { ...rest, before: to };
      const asked = from === undefined ? latest : { ...rest, after: from };
      return inner.entries(key, asked).map((answer) => {
        if (answer.outcome !== 'found') return answer;
        const entries = answer.entries.map((each) => outward(key, each));
        return { ...outward(key, answer), entries, start: numberOf(key, answer.start) };
      });
    },
  };
};

const histories: Readonly<Record<string, Plant>> = {
  'loses every tenth append': (inner) => {
    let calls = 0;
    return {
      use: (commit) => {
        calls += 1;
        const { effects } = commit;
        const entries = calls % 10 === 0 ? [] : effects.entries;
        return inner.change({ ...commit, effects: { ...effects, entries } });
      },
    };
  },
  'answers a repeated append with another position': misreporting((changed) =>
    changed.outcome === 'repeated' ? { ...changed, position: changed.position + 1 } : changed,
  ),
  'says that every append with an operationId is repeated': misreporting((changed, { guards }) =>
    changed.outcome === 'made' && guards.operation !== undefined
      ? { ...changed, outcome: 'repeated' }
      : changed,
  ),
  'recognises an operationId of a session that was removed': (inner) => {
    const known = new Map<string, Changed>();
    return {
      use: (commit) => {
        const { operation } = commit.guards;
        if (operation === undefined) return inner.change(commit);
        const name = `${labelOf(commit.key)} ${operation.id}`;
        const before = known.get(name);
        if (before !== undefined) return ok(before);
        return inner.change(commit).map((changed): Changed => {
          if (changed.outcome === 'made') known.set(name, { ...changed, outcome: 'repeated' });
          return changed;
        });
      },
    };
  },
  'takes an append that it refused for one that it made': (inner) => {
    const refused = new Set<string>();
    return {
      use: (commit) => {
        const { id = '' } = commit.guards.operation ?? {};
        if (refused.has(id)) return ok({ outcome: 'repeated', position: endOf(inner, commit.key) });
        return inner.change(commit).map((changed) => {
          const isMoved = changed.outcome === 'refused' && changed.guard === 'end';
          if (isMoved && id !== '') refused.add(id);
          return changed;
        });
      },
    };
  },
  'gives each entry the position before it': (inner) => ({
    entries: (key, slice) =>
      inner.entries(key, slice).map((found) => {
        if (found.outcome !== 'found') return found;
        const entries = found.entries.map((each) => ({ ...each, position: each.position - 1 }));
        return { ...found, entries };
      }),
  }),
  'gives positions again that were superseded': renumbering,
};

const guards: Readonly<Record<string, Plant>> = {
  'looks at the fencing token, and not at the end of the lease': misguarding(
    ({ fence, ...others }) => ({ ...others, fence: fence && { ...fence, now: 0 } }),
  ),
  'accepts the fencing tokens of earlier leases': misguarding((given, inner, key) => {
    const { fencingToken = 0 } = stateOf(inner, key)?.work.lease ?? {};
    const { fence } = given;
    const token = Math.max(fence?.token ?? 0, fencingToken);
    return { ...given, fence: fence && { ...fence, token } };
  }),
  'ignores a guard for the end 0': misguarding(({ end, ...others }) => ({
    ...others,
    end: end === 0 ? undefined : end,
  })),
  'looks at the end before it looks for the operation': (inner) => ({
    use: (commit) => {
      const position = endOf(inner, commit.key);
      const { end = position } = commit.guards;
      return end === position
        ? inner.change(commit)
        : ok({ outcome: 'refused', guard: 'end', position });
    },
  }),
  'accepts a stale change': overwriting(
    ({ guards: { revision } }, stored) => revision < stored.revision,
  ),
  'accepts a change from the future': overwriting(
    ({ guards: { revision } }, stored) => revision > stored.revision,
  ),
  'writes labels without looking at the revision': overwriting(({ effects: { put } }, stored) => {
    const [before, next] = [stored.labels, put.state.labels].map((all) => JSON.stringify(all));
    return before !== next && stored.status === put.state.status;
  }),
};

const removals: Readonly<Record<string, Plant>> = {
  'brings a removed session back by a change': (inner) => {
    const heads = new Map<string, SessionHead>();
    return {
      begin: (commit) => {
        heads.set(labelOf(commit.key), structuredClone(commit.effects.head));
        return inner.begin(commit);
      },
      put: (commit) =>
        inner.change(commit).map((changed): Changed => {
          const { key, effects } = commit;
          const head = heads.get(labelOf(key));
          const isGone = changed.outcome === 'refused' && changed.guard === 'present';
          if (!isGone || head === undefined) return changed;
          const { state } = effects.put;
          inner.begin({ key, guards: {}, effects: { head, state, entries: [], events: [] } });
          return { outcome: 'made', position: 0 };
        }),
    };
  },
  'leaves a removed session in its index': (inner) => {
    let left = 0;
    return {
      remove: (commit) =>
        inner.remove(commit).map((removed) => {
          if (removed.outcome === 'made') left += 1;
          return removed;
        }),
      page: (...args) => inner.page(...args).map((page) => ({ ...page, total: page.total + left })),
    };
  },
};

const labels: Readonly<Record<string, Plant>> = {
  'lists a session with the labels that it has left': (inner) => {
    const left = new Map<string, StateRecord>();
    return {
      put: (commit) => {
        const before = stateOf(inner, commit.key);
        if (before?.labels !== undefined) left.set(labelOf(commit.key), before);
        return inner.change(commit);
      },
      ...counting(inner, () => left.values()),
    };
  },
  'moves a session between lists by a change that is stale': (inner) => {
    const stale: StateRecord[] = [];
    return {
      put: (commit) =>
        inner.change(commit).map((changed) => {
          const isStale = changed.outcome === 'refused' && changed.guard === 'revision';
          if (isStale) stale.push(commit.effects.put.state);
          return changed;
        }),
      ...counting(inner, () => stale),
    };
  },
};

const events: Readonly<Record<string, Plant>> = {
  'tells no lease': silent('session.leased'),
  'tells no release': silent('session.released'),
};

const all = { ...histories, ...guards, ...removals, ...labels, ...events };

/** Bugs in sequences of calls, which the store contract does not plant. */
export const plantedSequenceBugs = Object.entries(all).map(([bug, plant]) => ({
  bug,
  makeStore: () => memoryStoreWith(plant),
}));
