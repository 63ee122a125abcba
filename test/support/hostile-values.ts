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

/** A proxy that is no more: even `Array.isArray` throws on it. */
export const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

/** An array that contains itself in itself, so deep that no recursion comes back from it. */
const deep = (): unknown => {
  let value: unknown = [];
  for (let depth = 0; depth < 100_000; depth += 1) value = [value];
  return value;
};

/** Values that are no string, no number and no plain object, by what they are. */
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

/** Numbers that are no whole number from 1 up. */
export const oddNumbers = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  0,
  -1,
  1.5,
  2 ** 53,
] as const;
