import type { DataInputOf, SessionSchemas } from '../session/session-schemas.js';

/**
 * A history entry to append.
 *
 * @example
 * ```ts
 * await sessions.orThrow.append(id, [
 *   {
 *     role: 'user',
 *     content: 'And a tunnel.',
 *     timestamp: new Date(),
 *     data: { latencyMs: 420 },
 *   },
 * ]);
 * ```
 */
export interface NewHistoryEntry<T extends SessionSchemas = SessionSchemas> {
  /** 1 to 64 characters. */
  readonly role: string;
  /** At most 256 KiB of UTF-8 by default (`limits.contentBytes`). */
  readonly content: string;
  /** RFC 3339 in any offset, or a Date. Default: now. */
  readonly timestamp?: string | Date | undefined;
  /** An id of your own, 1 to 256 characters. The engine stores it but does not use it. */
  readonly id?: string | undefined;
  /**
   * Data of the entry in addition to its text, for example tool calls: any JSON value. Its JSON
   * counts towards `limits.contentBytes`.
   */
  readonly data?: DataInputOf<T> | undefined;
  /**
   * The position that the entry has in another history, a whole number from 0. It is ignored, so
   * that an entry of `history` can be passed as it is.
   */
  readonly position?: number | undefined;
}
