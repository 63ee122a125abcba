/** Whether this is CI, where nothing is skipped. */
export const isContinuousIntegration = !['', '0', 'false', undefined].includes(
  process.env['CI']?.toLowerCase(),
);

/** Whether this is `npm run test:long`. */
export const isLong = process.env['COLLOQUY_TESTS'] === 'long';

/**
 * Whether CI runs the tests on a further version of Node: what does not depend on it was tested on
 * the first.
 */
export const isElsewhere = process.env['COLLOQUY_TESTS'] === 'elsewhere';

/**
 * The size of a test, or the number of random cases of a property: `short` in every run, `whole`
 * with `npm run test:long`.
 */
export const moreIfLong = <T>(short: T, whole: T): T => (isLong ? whole : short);
