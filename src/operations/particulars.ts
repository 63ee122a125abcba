import type { InputIssue } from '../session/errors.js';
import { instant, list, object, type Shape, text, whole } from './shape.js';

/**
 * What a problem tells besides its code: the issues of invalid input, or the state that caused the
 * error.
 */
export interface Particulars {
  readonly errors?: readonly InputIssue[];
  readonly position?: number;
  readonly holder?: string;
  readonly until?: string;
  readonly reason?: string | undefined;
}

export const particulars: Shape<Particulars> = object(
  {},
  {
    errors: list(object({ path: text, message: text })),
    position: whole(),
    holder: text,
    until: instant,
    reason: text,
  },
);
