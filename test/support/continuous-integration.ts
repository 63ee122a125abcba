/** Whether this is CI, where nothing is skipped. */
export const isContinuousIntegration = !['', '0', 'false', undefined].includes(process.env['CI']?.toLowerCase());

/** The size of a test: `short` on the machine of a contributor who waits for it, `whole` in CI. */
export const moreInCi = <T>(short: T, whole: T): T => (isContinuousIntegration ? whole : short);

/** Whether this is `npm run test:long`. */
export const isLong = process.env['COLLOQUY_TESTS'] === 'long';

/** The size of a test: `short` in every run, `whole` with `npm run test:long`. */
export const moreIfLong = <T>(short: T, whole: T): T => (isLong ? whole : short);

/** The number of runs of a property: few, under new seeds, in every run; all with `npm run test:long`. */
export const runs = (few: number, all: number): number => moreIfLong(few, all);
