import type { InputPolicy } from './input-policy.js';

/** Makes schemas of a policy once, because every call of a service needs them. */
export const perPolicy = <T>(make: (policy: InputPolicy) => T): ((policy: InputPolicy) => T) => {
  const made = new WeakMap<InputPolicy, T>();
  return (policy) => {
    const known = made.get(policy) ?? make(policy);
    made.set(policy, known);
    return known;
  };
};
