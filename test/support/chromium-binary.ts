import { findBinary } from './find-binary.js';

export const HOW_TO_GET_CHROMIUM =
  'Install one (Debian: apt-get install chromium), or set CHROMIUM to the path of a Chromium or Chrome binary.';

/** The browser to test in. */
export const findChromium = (): string | undefined => findBinary('chromium', 'CHROMIUM');
