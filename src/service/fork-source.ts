import { err, ok, type Result } from 'neverthrow';
import { invalidField, notFound } from '../session/errors.js';
import { jsonBytesOf } from '../session/exceeds-bytes.js';
import type { OperationErrors } from '../session/operation-errors.js';
import type { HistoryEntry, PositionedEntry, SessionOrigin } from '../session/session.js';
import type { EntriesOutcome } from '../store/session-store.js';
import type { Settings } from './settings.js';

/** What `create` and `getOrCreate` both fail with. */
export type CreationError = Extract<OperationErrors['create'], OperationErrors['getOrCreate']>;

export interface ForkSource {
  readonly entries: readonly HistoryEntry[];
  readonly origin: SessionOrigin;
  readonly version: string;
}

/**
 * The size of one read: enough for most histories, and small enough to hold if a history is too
 * large.
 */
const PIECE = { limit: 10_000, maxBytes: 1024 * 1024 };

/** The entry as it appears in another history, where it belongs to no turn. */
const withoutPlace = (entry: PositionedEntry): HistoryEntry => {
  const { position: _p, turn: _t, message: _m, ...copy } = entry;
  return copy;
};

const invalidPosition = invalidField('from.position', 'is not a position in the current history');

/**
 * Reads the history of a session up to a position, backwards and piece by piece. Undefined if it
 * was redacted or rewound in between, or if another session has taken its id.
 */
export const readForkSource = async (
  { store, tenant, policy: { limits } }: Settings,
  { id, position }: { readonly id: string; readonly position?: number | undefined },
): Promise<Result<ForkSource | undefined, CreationError>> => {
  const maxBytes = Math.min(PIECE.maxBytes, limits.forkBytes);
  const pieces: (readonly PositionedEntry[])[] = [];
  let last: Extract<EntriesOutcome, { readonly outcome: 'found' }> | undefined;
  let before = position;
  let bytes = 0;
  do {
    const slice = { ...PIECE, maxBytes, ...(before !== undefined && { before }) };
    const answer = await store.entries({ tenant, id }, slice);
    if (answer.isErr()) return err(answer.error);
    const found = answer.value;
    if (found.outcome === 'missing') return err(notFound(id));
    // Only the first piece begins at a position that the caller may have named.
    if (last === undefined && (found.outcome !== 'found' || found.isSuperseded))
      return err(invalidPosition);
    if (found.outcome !== 'found') return ok(undefined);
    last ??= found;
    if (found.version !== last.version) return ok(undefined);
    bytes += jsonBytesOf(found.entries);
    if (bytes > limits.forkBytes) return err(forkTooLarge(limits.forkBytes));
    pieces.unshift(found.entries);
    before = found.entries.length && found.start;
  } while (before > 0);
  const entries = pieces.flat().map(withoutPlace);
  return ok({ entries, origin: { id, position: last.position }, version: last.version });
};

const forkTooLarge = (forkBytes: number) =>
  invalidField('from', `has more than ${forkBytes} bytes of history to copy`);
