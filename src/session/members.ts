/** The members of a type, each of which may be absent or `undefined`. */
export type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Options after their defaults have been filled in. */
export type Complete<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };

/**
 * Allows optional fields to be set one by one where a call makes many objects: in Node 20 a spread
 * or a rest costs as much as reading an entry.
 */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };
