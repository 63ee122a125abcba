/** An object that throws on every access. */
export const throwing = (): object => {
  const trap = () => {
    throw new Error('do not look at me');
  };
  return new Proxy(
    {},
    {
      get: trap,
      has: trap,
      ownKeys: trap,
      getPrototypeOf: trap,
      getOwnPropertyDescriptor: trap,
      set: trap,
    },
  );
};

/** A revoked proxy: even `Array.isArray` throws on it. */
export const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** A nested array, too deep for any recursion. */
const deep = (): unknown => {
  let value: unknown = [];
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  return value;
};

/** Values other than strings, numbers and plain objects, by name. */
export const strange: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  'a boolean': () => true,
  'a bigint': () => 1n,
  'a symbol': () => Symbol('x'),
  'a function': () => () => 'x',
  'an array': () => ['x'],
  'a deep array': deep,
  'a String object': () => Object('x'),
  'a Number object': () => Object(1),
  'a throwing object': throwing,
  'a revoked proxy': revoked,
};

/** Numbers other than whole numbers from 1. */
export const oddNumbers = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  -1,
  1.5,
  2 ** 53,
] as const;
