import { MAX_DEPTH } from '../input/json-values.js';

/** The names and indexes that lead to a value in JSON. */
export type JsonPath = readonly (string | number)[];

/** The service rejects deeper values. */
const MAX_PATH = 2 * MAX_DEPTH;

/** Integers of fewer digits are exact as numbers. */
const longDigits = /\d{16}/;

/**
 * The index after the string that begins at `at`. A regular expression could overflow the stack.
 */
const endOfString = (json: string, at: number): number => {
  for (let end = at + 1; end < json.length; end += 1) {
    if (json[end] === '"') return end + 1;
    if (json[end] === '\\') end += 1;
  }
  return json.length;
};

const isInexact = (literal: string): boolean => {
  if (!longDigits.test(literal) || !/^-?\d+$/.test(literal)) return false;
  const value = Number(literal);
  return !Number.isFinite(value) || BigInt(literal) !== BigInt(value);
};

const nameIn = (part: string | number): string | number =>
  typeof part === 'string' ? JSON.parse(part) : part;

/**
 * The paths of the integers in a JSON text that `JSON.parse` would change: from 2^53, a number
 * cannot hold every integer. Fractions are rounded, as everywhere. The text must be valid.
 */
export const inexactIntegersIn = (json: string): readonly JsonPath[] => {
  const found: JsonPath[] = [];
  if (!longDigits.test(json)) return found;
  const path: (string | number)[] = [];
  const token = /["[\]{},]|-?\d[\d.eE+-]*/g;
  for (let match = token.exec(json); match !== null; match = token.exec(json)) {
    const [text] = match;
    const last = path.at(-1);
    if (text === '"') {
      token.lastIndex = endOfString(json, match.index);
      // In an object, each string replaces the name before it; the next name replaces a value.
      if (typeof last === 'string') path.splice(-1, 1, json.slice(match.index, token.lastIndex));
    } else if (text === '{') path.push('');
    else if (text === '[') path.push(0);
    else if (text === ']' || text === '}') path.pop();
    else if (text === ',') {
      if (typeof last === 'number') path.splice(-1, 1, last + 1);
    } else if (path.length <= MAX_PATH && isInexact(text)) found.push(path.map(nameIn));
  }
  return found;
};

/**
 * The paths of integers in a parsed value that may differ from the integers that were sent.
 */
export const doubtfulIntegersIn = (value: unknown, path: JsonPath = []): readonly JsonPath[] => {
  if (typeof value === 'number')
    return Number.isInteger(value) && !Number.isSafeInteger(value) && Math.abs(value) < 1e21
      ? [path]
      : [];
  if (typeof value !== 'object' || value === null || path.length > MAX_PATH) return [];
  const parts = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return parts.flatMap(([name, part]) => doubtfulIntegersIn(part, [...path, name]));
};
