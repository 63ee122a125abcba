/** Whether this is CI, where nothing is skipped. */
export const isContinuousIntegration = !['', '0', 'false', undefined].includes(process.env['CI']?.toLowerCase());

/** The size of a test: `short` on the machine of a contributor who waits for it, `whole` in CI. */
export const moreInCi = <T>(short: T, whole: T): T => (isContinuousIntegration ? whole : short);
