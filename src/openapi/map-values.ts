/** The same keys with other values. */
export const mapValues = <T, U>(
  all: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Readonly<Record<string, U>> =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value, key)]));
