/** The members of a type, each of which may be absent or `undefined`. */
export type Optional<T> = { readonly [Name in keyof T]?: T[Name] | undefined };

/** Options after their defaults have been filled in. */
export type Complete<T> = { readonly [Name in keyof T]-?: Exclude<T[Name], undefined> };
