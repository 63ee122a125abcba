/** Whether this is CI, where nothing is skipped. */
export const isContinuousIntegration = !['', '0', 'false', undefined].includes(process.env['CI']?.toLowerCase());

/** The size of a test: `short` on the machine of a contributor who waits for it, `whole` in CI. */
export const moreInCi = <T>(short: T, whole: T): T => (isContinuousIntegration ? whole : short);

/** Whether this is `npm run test:long`. */
export const isLong = process.env['COLLOQUY_TESTS'] === 'long';

/** The number of runs of a property: few on the machine of a contributor, some in CI, all with `npm run test:long`. */
export const runs = (few: number, all: number): number =>
  isLong ? all : moreInCi(few, Math.ceil(few + (all - few) / 4));
