/** What becomes of a command; `run` sends it. */
export type Intercept = (
  name: string,
  args: readonly unknown[],
  run: () => Promise<unknown>,
) => Promise<unknown>;

/** `client`, each of whose commands fares as `intercept` says. */
export const intercepting = <C extends object>(client: C, intercept: Intercept): C =>
  new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || typeof value !== 'function') return value;
      return (...args: readonly unknown[]) =>
        intercept(name, args, async () => Reflect.apply(value, target, args));
    },
  });
