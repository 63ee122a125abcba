import type { Mutant } from './mutant.js';

const update = 'src/session/update-labels-and-metadata.ts';
const creation = 'src/service/idempotent-create.ts';
const metadata = ['test/service/metadata.test.ts', 'test/service/update-metadata.test.ts'];
const callerIds = ['test/stores/caller-ids.test.ts'];
const schemas = ['test/service/schemas.test.ts'];
const orThrow = ['test/service/or-throw.test.ts'];

/** Bugs of metadata, of caller-chosen ids, and of lost errors. */
export const dataMutants: readonly Mutant[] = [
  {
    bug: 'an update removes the metadata that it does not name',
    file: update,
    from: '[...Object.entries(before), ...Object.entries(changes)]',
    to: 'Object.entries(changes)',
    tests: metadata,
  },
  {
    bug: 'null in an update of metadata is kept as a value',
    file: update,
    from: 'value === null ? [] : [[name, value] as const]',
    to: '[[name, value] as const]',
    tests: metadata,
  },
  {
    bug: 'metadata grow without a bound, update by update',
    file: update,
    from: 'exceedsBytes(JSON.stringify(kept), metadataBytes)',
    to: 'exceedsBytes(JSON.stringify(changes), metadataBytes)',
    tests: metadata,
  },
  {
    bug: 'an update is made although the session was changed since it was read',
    file: 'src/service/update-session.ts',
    from: 'if (current.revision !== (ifRevision ?? current.revision)) return err(revisionMoved(id));',
    to: '',
    tests: metadata,
  },
  {
    bug: 'an expiry counts as a change by somebody else',
    file: 'src/service/update-session.ts',
    from: 'ended === ifRevision ? state.revision : ifRevision',
    to: 'ifRevision',
    tests: metadata,
  },
  {
    bug: 'the event of an update does not say that the metadata changed',
    file: 'src/session/event-detail.ts',
    from: '...(!isSame && { metadataChanged: true })',
    to: '',
    tests: metadata,
  },
  {
    bug: 'an id that is taken is a conflict, after five attempts',
    file: 'src/service/create-session.ts',
    from: "if (own !== undefined && tried.value === 'taken') return err(idTaken(own));",
    to: '',
    tests: callerIds,
  },
  {
    bug: 'an id that another create has taken is a mismatch of the idempotency key',
    file: creation,
    from: 'own === undefined ? idempotencyMismatch(id) : idTaken(id)',
    to: 'idempotencyMismatch(id)',
    tests: callerIds,
  },
  {
    bug: 'getOrCreate fails if another call creates the session at the same time',
    file: 'src/service/get-or-create.ts',
    from: 'attempt <= MAX_RACES',
    to: 'attempt <= 1',
    tests: callerIds,
  },
  {
    bug: 'getOrCreate says of a session that was there that it is new',
    file: 'src/service/get-or-create.ts',
    from: 'created: false',
    to: 'created: true',
    tests: callerIds,
  },
  {
    bug: 'withLease gives sessions without the token',
    file: 'src/session/with-lease.ts',
    from: 'given ?? (fence?.id === id ? fence.fencingToken : undefined)',
    to: 'given',
    tests: ['test/service/lease-sessions.test.ts'],
  },
  {
    bug: 'the sessions of a lease carry its token to other sessions',
    file: 'src/session/with-lease.ts',
    from: 'fence?.id === id ? fence.fencingToken : undefined',
    to: 'fence?.fencingToken',
    tests: ['test/service/lease-sessions.test.ts'],
  },
  {
    bug: 'withLease hides an error of its function behind the loss of the lease',
    file: 'src/session/with-lease.ts',
    from: 'used.isOk() ? lostOf(renewal, released, fencingToken) : undefined',
    to: 'lostOf(renewal, released, fencingToken)',
    tests: ['test/service/lease-sessions.test.ts'],
  },
  {
    bug: 'withLease takes a lease that its function has released for lost',
    file: 'src/session/with-lease.ts',
    from: 'renewal.hasRunOut || isReplaced',
    to: 'renewal.hasRunOut || renewal.isRefused || isReplaced',
    tests: ['test/service/with-lease.test.ts'],
  },
  {
    bug: 'withLease says callback_failed if its function throws the reason of the signal',
    file: 'src/session/with-lease.ts',
    from: 'signal.aborted && cause === signal.reason',
    to: 'false',
    tests: ['test/service/with-lease.test.ts'],
  },
  {
    bug: 'work that was done when its lease ran out is handed out again',
    file: 'src/session/lease-state.ts',
    from: 'isClaim && done;',
    to: 'false;',
    tests: ['test/service/claim.test.ts'],
  },
  {
    bug: 'orThrow swallows what the callback of withLease throws',
    file: 'src/service/or-throw.ts',
    from: "if (isFields(error) && error['type'] === 'callback_failed') throw error['cause'];",
    to: '',
    tests: orThrow,
  },
  {
    bug: 'the sessions of a lease under orThrow return results',
    file: 'src/service/or-throw.ts',
    from: 'use({ ...lease, sessions: orThrowOf(lease.sessions) })',
    to: 'use(lease)',
    tests: orThrow,
  },
  {
    bug: 'a schema of the host gets frozen metadata, and throws if it changes its input',
    file: 'src/input/apply-schema.ts',
    from: 'standard.validate(copyJson(value))',
    to: 'standard.validate(value)',
    tests: ['test/service/broken-schemas.test.ts'],
  },
  {
    bug: 'an update of metadata is not checked by the schema of the host',
    file: 'src/service/update-session.ts',
    from: 'schemas === undefined || changed.isErr()',
    to: 'schemas !== undefined || changed.isErr()',
    tests: schemas,
  },
  {
    bug: 'a repeated append is recognised by the output of a schema with random defaults',
    file: 'src/service/append-history.ts',
    from: 'changeOf(given, settings, key, operation, time.value)',
    to: 'changeOf(given, settings, key, operationOf(fitted.value), time.value)',
    tests: schemas,
  },
  {
    bug: 'what a schema adds to data may break the limits',
    file: 'src/input/fit-schemas.ts',
    from: 'issues.check(!exceedsBytes(json + entry.content, most), where, dataRule(most));',
    to: '',
    tests: schemas,
  },
  {
    bug: 'with onRead, a session that does not fit ends the reading of its page',
    file: 'src/service/check-reads.ts',
    from: "else if (read.error.type === 'corrupt_record') ids.push(session.id);",
    to: '',
    tests: ['test/service/schemas-on-read.test.ts'],
  },
];
