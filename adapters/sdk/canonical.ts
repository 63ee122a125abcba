import { isFields } from '../../src/input/parse-fields.js';

/** A text that is the same for equal values: the names of each object are sorted, and undefined values are left out. */
export const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part,
  );
