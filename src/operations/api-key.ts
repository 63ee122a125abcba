/** What `isApiKey` allows, for error messages. */
export const API_KEY_RULE = 'must be 1 to 256 visible ASCII characters';

/** Whether every client and proxy sends an API key unchanged in a header. */
export const isApiKey = (value: unknown): value is string =>
  typeof value === 'string' && /^[!-~]{1,256}$/.test(value);
