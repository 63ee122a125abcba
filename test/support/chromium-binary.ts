import { findBinary } from './find-binary.js';

/** The browser to test in. */
export const findChromium = (): string | undefined => findBinary('chromium', 'CHROMIUM');
