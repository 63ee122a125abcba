import { err, ok, type Result } from 'neverthrow';
import type { StoreError } from '../session/errors.js';
import { jsonBytesOf } from '../session/exceeds-bytes.js';
import { HISTORY_LIMIT } from '../session/limits.js';
import type { PositionedEntry } from '../session/session.js';
import type { SessionKey } from '../store/session-store.js';
import type { Settings } from './settings.js';

export interface TurnPart {
  readonly turn: number;
  /** A position before the first of them. */
  readonly after: number;
  /** Whether to read its messages, or what it has said. */
  readonly areMessages: boolean;
  /** Bytes of JSON, above which reading stops. Default: no limit. */
  readonly maxBytes?: number;
}

interface EntriesOfTurn {
  readonly entries: readonly PositionedEntry[];
  readonly bytes: number;
}

/** Reads entries of a turn in pages, up to the next turn. Undefined if there is no session. */
export const entriesOfTurn = async (
  { store, policy: { limits } }: Settings,
  key: SessionKey,
  { turn, after, areMessages, maxBytes = Number.POSITIVE_INFINITY }: TurnPart,
): Promise<Result<EntriesOfTurn | undefined, StoreError>> => {
  const page = { limit: HISTORY_LIMIT, maxBytes: limits.pageBytes };
  const isWanted = ({ turn: number, message }: PositionedEntry): boolean =>
    number === turn && (message === true) === areMessages;
  const entries: PositionedEntry[] = [];
  let bytes = 0;
  for (let position = after; ; ) {
    const part = await store.entries(key, { ...page, after: position });
    if (part.isErr()) return err(part.error);
    if (part.value.outcome !== 'found') return ok(undefined);
    const wanted = part.value.entries.filter(isWanted);
    entries.push(...wanted);
    bytes += jsonBytesOf(wanted);
    const isPast = part.value.entries.some(({ turn: number = 0 }) => number > turn);
    if (isPast || !part.value.hasMore || bytes > maxBytes) return ok({ entries, bytes });
    position = part.value.position;
  }
};
