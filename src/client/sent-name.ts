/*
 * Names on the wire: `time_limit` for `timeLimit`. Every name can be converted back, so a caller's
 * own `time_limit`, sent as `time__limit`, is unknown to the service too.
 */

export const sentName = (name: string): string =>
  name.replace(/[A-Z_]/g, (letter) => `_${letter.toLowerCase()}`);

export const givenName = (sent: string): string =>
  sent.replace(/_([a-z_])/g, (_, letter: string) => letter.toUpperCase());
