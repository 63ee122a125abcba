/** Runs `change`, which may throw: a value may be frozen, or reject a change in another way. */
const attempt = (change: () => unknown): void => {
  try {
    change();
  } catch {
    // Then the caller cannot change the value.
  }
};

/** Changes every part of a value that can be changed, from the innermost part out. Other parts stay unchanged. */
export const mutateDeeply = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    mutateDeeply(inner);
    attempt(() => Reflect.set(value, name, 'vandalized'));
  }
  if (Array.isArray(value)) attempt(() => value.reverse().push('vandalized'));
  else attempt(() => Reflect.set(value, 'added', 'vandalized'));
};
