import type { Result } from 'neverthrow';

/**
 * A result, or a promise of a result, for example a `ResultAsync`. A store in memory can return the
 * result directly.
 */
export type Answer<T, E> = Result<T, E> | PromiseLike<Result<T, E>>;

/**
 * Identifies a session. No call reaches the data of another tenant, even if tenants and ids contain
 * special characters.
 */
export interface SessionKey {
  /** The tenant that the session belongs to. */
  readonly tenant: string;
  /** The id of the session, unique within its tenant. */
  readonly id: string;
}

/** A string that is unique for the key, although tenants and ids may contain any characters. */
export const keyText = ({ tenant, id }: SessionKey): string => `${tenant.length}/${tenant}${id}`;

/** Identifies a session, or what is left of a removed one until its end is reported. */
export interface DueKey extends SessionKey {
  /**
   * Distinguishes what is left of sessions that had the same id one after another: 1 to 20 of the
   * characters `0-9`. Absent for a session.
   */
  readonly removal?: string | undefined;
}
