/**
 * Allows optional fields to be set one by one where a call makes many objects: in Node 20 a spread
 * or a rest costs as much as reading an entry.
 */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
