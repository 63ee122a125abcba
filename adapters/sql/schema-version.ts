import { type Misconfigured, misconfigured } from '../../src/session/errors.js';

/** The stored version of the tables: the number of steps that made them; 0 if there are none. */
export interface SchemaVersion {
  readonly version: number;
  /** The earliest version whose programs can still use the tables. */
  readonly usableFrom: number;
}

/** The error if a later version has changed the tables so that programs of the version `known` cannot use them. */
export const refusalOf = ({ version, usableFrom }: SchemaVersion, known: number): Misconfigured | undefined => {
  if (version <= known || usableFrom <= known) return undefined;
  const made = `a later version of Colloquy made the tables: version ${version}`;
  return misconfigured(`${made}, which needs ${usableFrom} or later; this one knows ${known}`);
};
