import { ok } from 'neverthrow';
import type { MemorySessionStore } from '../../adapters/memory/index.js';
import type { EntriesOutcome, Opening, SessionKey } from '../../src/store/session-store.js';
import { type PlantedBug, planted } from './planted-bug.js';

type Found = Extract<EntriesOutcome, { readonly outcome: 'found' }>;

/** The memory store, which reads another opening than the one that it gets. */
const opening = (
  bug: string,
  caughtBy: string,
  misread: (opening: Opening, inner: MemorySessionStore) => Opening | undefined,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    insert: (tenant, head, state, given) =>
      inner.insert(tenant, head, state, given && misread(given, inner)),
  }));

/** The memory store, which misreports parts of histories. */
const reading = (
  bug: string,
  caughtBy: string,
  misreport: (found: Found) => Partial<Found>,
): PlantedBug =>
  planted(bug, caughtBy, (inner) => ({
    findEntries: (...args) =>
      inner
        .findEntries(...args)
        .map((read) => (read.outcome === 'found' ? { ...read, ...misreport(read) } : read)),
  }));

/** Whether the source of an opening is a session of a tenant. */
const isSourceOf = (inner: MemorySessionStore, tenant: string, { source }: Opening): boolean =>
  source !== undefined && inner.findState({ tenant, id: source.id })._unsafeUnwrap() !== undefined;

const withoutSource = ({ source: _, ...rest }: Opening): Opening => rest;

const withEntries =
  'opening: a session is inserted with its start and its first entries, and then works like any other';

/** Bugs in what a session begins with. */
export const plantedOpeningBugs: readonly PlantedBug[] = [
  opening('loses the entries', withEntries, ({ entries: _, ...rest }) => ({
    ...rest,
    entries: [],
  })),
  opening(
    'forgets what it begins with',
    'opening: one that is IDLE may begin with entries, and one that is started with none',
    () => undefined,
  ),
  opening(
    'copies what has changed',
    'fork: nothing of a history that was redacted, rewound or deleted since it was read',
    withoutSource,
  ),
  reading(
    'gives each append a new version',
    'fork: appends and changes of the state keep the version of a history',
    ({ version, position }) => ({ version: `${version}.${position}` }),
  ),
  reading(
    'takes every position for a current one',
    'fork: the read of its origin tells whether a position is superseded',
    () => ({ isSuperseded: false }),
  ),
  opening(
    'counts no live sessions',
    'opening: a session that would be one live session too many is not inserted',
    ({ cap: _, ...rest }) => rest,
  ),
  planted(
    'tells a changed source before a taken id',
    'opening: a taken id is returned first, and the session that has it is unchanged',
    (inner) => ({
      insert: (tenant, head, state, given) =>
        given?.source === undefined || isSourceOf(inner, tenant, given)
          ? inner.insert(tenant, head, state, given)
          : ok('source_changed'),
    }),
  ),
  opening(
    'finds the source at another tenant',
    'fork: a session that does not exist or belongs to another tenant has changed',
    (given, inner) => (isSourceOf(inner, 'another', given) ? withoutSource(given) : given),
  ),
];

const gone =
  'redact: the content, id and data of entries are gone from every read, and their positions stay';

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
  planted(
    'refuses it after the end',
    'redact: several entries at once, large ones too, in any status',
    (inner) => ({
      redact: (key, positions, now) =>
        inner.findState(key)._unsafeUnwrap()?.status === 'TERMINATED'
          ? ok('missing')
          : inner.redact(key, positions, now),
    }),
  ),
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
          inner.append(
            key,
            isRedacted || operation === undefined ? append : { ...append, operation },
          ),
      };
    },
  ),
];
