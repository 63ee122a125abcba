/**
 * What kind of native object a value is. `instanceof` is false for objects of another realm: Jest,
 * `node:vm` or an iframe.
 */
const kindOf = (value: unknown): string => Object.prototype.toString.call(value);

export const isError = (value: unknown): value is Error =>
  value instanceof Error || kindOf(value) === '[object Error]';

export const isDate = (value: unknown): value is Date => kindOf(value) === '[object Date]';
