/** Runs `change`, which may throw if the value is frozen or rejects changes. */
const attempt = (change: () => unknown): void => {
  try {
    change();
  } catch {
    // The caller cannot change the value, so there is nothing to test.
  }
};

/**
 * Changes every part of a value that can be changed, from the innermost part out. Other parts stay
 * unchanged.
 */
export const mutateDeeply = (value: unknown): void => {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    mutateDeeply(inner);
    attempt(() => Reflect.set(value, name, 'vandalized'));
  }
  if (Array.isArray(value)) attempt(() => value.reverse().push('vandalized'));
  else attempt(() => Reflect.set(value, 'added', 'vandalized'));
};
