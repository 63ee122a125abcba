export type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const hasMethods = (value: unknown, ...names: readonly string[]): boolean =>
  isFields(value) && names.every((name) => typeof value[name] === 'function');

export const mapValues = <T, U>(
  all: Readonly<Record<string, T>>,
  change: (value: T, key: string) => U,
): Readonly<Record<string, U>> =>
  Object.fromEntries(Object.entries(all).map(([key, value]) => [key, change(value, key)]));
