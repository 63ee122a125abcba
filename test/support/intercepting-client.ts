/** Decides what happens to a command; `run` sends it. */
export type Intercept = (
  name: string,
  args: readonly unknown[],
  run: () => Promise<unknown>,
) => Promise<unknown>;

/** node-redis passes a command as an array. Returns the name of its ioredis method. */
const commandOf = (method: string, given: readonly unknown[]): readonly [string, unknown[]] => {
  const words: unknown = given.find(Array.isArray);
  if (method !== 'sendCommand' || !Array.isArray(words)) return [method, [...given]];
  return [String(words[0]).toLowerCase(), words.slice(1)];
};

/** Passes each command of `client` to `intercept`. */
export const intercepting = <C extends object>(client: C, intercept: Intercept): C =>
  new Proxy(client, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof name !== 'string' || typeof value !== 'function') return value;
      return (...given: readonly unknown[]) => {
        const [command, args] = commandOf(name, given);
        return intercept(command, args, async () => Reflect.apply(value, target, given));
      };
    },
  });
