/*
 * Names on the wire, `time_limit` for `timeLimit`. They can be turned back for every name, so that
 * `time_limit` of a caller, sent as `time__limit`, is unknown to the service too.
 */

/** The name under which a field of the caller is sent. */
export const sentName = (name: string): string =>
  name.replace(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`);

/** The caller's name for a field that was sent. */
export const givenName = (sent: string): string =>
  sent.replace(/_([a-z_])/g, (_, letter: string) => letter.toUpperCase());
