import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { Opening, SessionKey } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

/** The memory store, which reads another opening than the one that it gets. */
const opening = (
  bug: string,
  caughtBy: string,
  misread: (opening: Opening, inner: MemorySessionStore, tenant: string) => Opening | undefined,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    insert: (tenant, head, state, given) => inner.insert(tenant, head, state, given && misread(given, inner, tenant)),
  }));

const withoutPosition = ({ from, ...rest }: Opening): Opening =>
  from === undefined ? rest : { ...rest, from: { id: from.id, maxBytes: from.maxBytes } };

const upTo = 'fork: up to a position of the current history, after rewinds too';
const withEntries =
  'opening: a session is inserted with its start and its first entries, and then works like any other';

/** Bugs in what a session begins with. */
export const plantedOpeningBugs: readonly PlantedBug[] = [
  opening('loses the entries', withEntries, ({ entries: _, ...rest }) => ({ ...rest, entries: [] })),
  opening(
    'forgets what it begins with',
    'opening: one that is IDLE may begin with entries, and one that is started with none',
    () => undefined,
  ),
  opening(
    'takes more entries than allowed',
    'opening: no more entries than maxEntries',
    ({ maxEntries: _, ...rest }) => rest,
  ),
  opening('copies the whole history', upTo, withoutPosition),
  opening(
    'copies more than allowed',
    'fork: no more bytes than maxBytes, and no more entries than maxEntries',
    (given) => (given.from === undefined ? given : { ...given, from: { ...given.from, maxBytes: 1e9 } }),
  ),
  opening(
    'counts no ACTIVE sessions',
    'opening: a session that would be one ACTIVE session too many is not inserted',
    ({ active: _, ...rest }) => rest,
  ),
  planted(
    'tells a missing origin before a taken id',
    'opening: a taken id is returned first, and the session that has it is unchanged',
    (inner) => ({
      insert: (tenant, head, state, given) => {
        const isThere = given?.from && inner.findState({ tenant, id: given.from.id })._unsafeUnwrap() !== undefined;
        return isThere === false ? ok('missing') : inner.insert(tenant, head, state, given);
      },
    }),
  ),
  planted(
    'finds the origin at another tenant',
    'fork: nothing of a session that does not exist, or belongs to another tenant',
    (inner) => ({
      insert: (tenant, head, state, given) => {
        const answer = inner.insert(tenant, head, state, given);
        const other = given?.from && inner.findState({ tenant: 'another', id: given.from.id })._unsafeUnwrap();
        const isMissing = answer.isOk() && answer.value === 'missing';
        return isMissing && other !== undefined ? ok({ copied: 0, origin: { id: 'one', position: 0 } }) : answer;
      },
    }),
  ),
];

const gone = 'redact: the content, id and data of entries are gone from every read, and their positions stay';

const endOf = (inner: MemorySessionStore, key: SessionKey): number => {
  const found = inner.findEntries(key, { limit: 1 })._unsafeUnwrap();
  return found.outcome === 'found' ? found.position : 0;
};

/** Bugs in redactions. */
export const plantedRedactionBugs: readonly PlantedBug[] = [
  planted('redacts nothing', gone, () => ({ redact: () => ok('redacted') })),
  planted('redacts all entries', gone, (inner) => ({
    redact: (key, _, now) =>
      inner.redact(
        key,
        Array.from({ length: endOf(inner, key) }, (__, at) => at + 1),
        now,
      ),
  })),
  planted(
    'redacts one entry of several',
    'redact: several entries at once, large ones too, in any status',
    (inner) => ({ redact: (key, positions, now) => inner.redact(key, positions.slice(0, 1), now) }),
  ),
  planted(
    'takes a position after the end',
    'redact: a position after the end is invalid, and a session that is not there is missing',
    (inner) => ({
      redact: (key, positions, now) =>
        inner.redact(
          key,
          positions.filter((position) => position <= endOf(inner, key)),
          now,
        ),
    }),
  ),
  planted('refuses it after the end', 'redact: several entries at once, large ones too, in any status', (inner) => ({
    redact: (key, positions, now) =>
      inner.findState(key)._unsafeUnwrap()?.status === 'TERMINATED' ? ok('missing') : inner.redact(key, positions, now),
  })),
  planted(
    'forgets the names of appends',
    'redact: an append is still recognised by its operation id when its entries are redacted',
    (inner) => {
      let isRedacted = false;
      return {
        redact: (...args) => {
          isRedacted = true;
          return inner.redact(...args);
        },
        append: (key, { operation, ...append }) =>
          inner.append(key, isRedacted || operation === undefined ? append : { ...append, operation }),
      };
    },
  ),
];
