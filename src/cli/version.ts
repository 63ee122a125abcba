import { readFileSync } from 'node:fs';
import { isFields } from '../input/values.js';

/** The version of the package that this file was built into: its manifest stands beside `dist`. */
export const version = (): string => {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return isFields(manifest) ? String(manifest['version']) : '';
};
