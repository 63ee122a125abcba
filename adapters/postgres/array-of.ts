/**
 * An array as PostgreSQL writes it
 * (https://www.postgresql.org/docs/current/arrays.html#ARRAYS-IO): clients differ in what they make
 * of an array.
 */
export const arrayOf = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
