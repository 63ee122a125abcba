import { parseArgs } from 'node:util';
import { didYouMean, nearest } from '../schema/unknown-fields.js';
import { UsageError } from './cli-error.js';

/**
 * Ids may begin with a dash. They are longer than short options and negative numbers, which no
 * command accepts.
 */
const withDashedOperands = (args: readonly string[]): string[] => {
  const isDashed = (arg: string): boolean => /^-[^-].{4}/.test(arg);
  const dashed = args.filter(isDashed);
  if (args.includes('--') || dashed.length === 0) return [...args];
  return [...args.filter((arg) => !isDashed(arg)), '--', ...dashed];
};

type Declared = ReadonlyMap<
  string,
  { readonly type: 'string' | 'boolean'; readonly multiple: boolean }
>;

interface OptionToken {
  readonly name: string;
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

const flawOf = (declared: Declared, token: OptionToken): string | undefined => {
  const { name, rawName, value, inlineValue } = token;
  const type = declared.get(name)?.type;
  if (type === undefined) {
    const names = Array.from(declared.keys(), (known) => `--${known}`);
    return `is unknown${didYouMean(nearest(rawName, names))}`;
  }
  if (type === 'boolean') return value === undefined ? undefined : 'must have no value';
  if (value === undefined) return 'must have a value';
  if (!inlineValue && /^-./.test(value))
    return `must have a value: write ${rawName}=VALUE if it begins with a dash`;
  return undefined;
};

const parse = (declared: Declared, args: readonly string[]) => {
  // Not strict, because the errors of Node name neither the rule nor the nearest option.
  const { tokens, ...parsed } = parseArgs({
    args: withDashedOperands(args),
    options: Object.fromEntries(declared),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  for (const token of tokens) {
    const flaw = token.kind === 'option' ? flawOf(declared, token) : undefined;
    if (token.kind === 'option' && flaw !== undefined)
      throw new UsageError(`${token.rawName} ${flaw}`);
  }
  return parsed;
};

export interface Given {
  readonly label: string;
  readonly text: string;
}

/**
 * The arguments of a command. The help text declares the options: `  --port N, $PORT` is an option
 * with a value, which the environment variable PORT can also set; `  --json` is a flag; `  --labels
 * NAME=VALUE...` may be given several times. Invalid arguments throw a `UsageError`.
 */
export class Options {
  readonly operands: readonly string[];
  readonly given = new Map<string, Given>();
  readonly #several = new Map<string, readonly string[]>();
  readonly #env: NodeJS.ProcessEnv;

  constructor(
    command: { help: string; operands: number },
    args: readonly string[],
    env: NodeJS.ProcessEnv,
  ) {
    const named = [
      ...command.help.matchAll(
        /^ {2}--([\w-]+)(?: ([A-Z]+)(?:=[A-Z]+)?(\.\.\.)?)?(?:, \$([A-Z_]+))?/gm,
      ),
    ];
    const declared: Declared = new Map(
      named.map(([, name = '', value, several]) => [
        name,
        { type: value === undefined ? 'boolean' : 'string', multiple: several !== undefined },
      ]),
    );
    const { values, positionals } = parse(declared, args);
    const more = positionals[command.operands];
    if (more !== undefined) {
      const option = nearest(more, [...declared.keys()]);
      const hint = didYouMean(option && `--${option}`);
      throw new UsageError(`argument ${JSON.stringify(more)} is unknown${hint}`);
    }
    this.operands = positionals;
    this.#env = env;
    for (const [, name = '', , , variable = ''] of named) {
      const value = new Map(Object.entries(values)).get(name);
      const text = value === true ? 'on' : value;
      const given =
        typeof text === 'string' ? { label: `--${name}`, text } : this.variable(variable);
      if (given !== undefined) this.given.set(name, given);
      if (Array.isArray(value)) this.#several.set(name, value.map(String));
    }
  }

  /**
   * An environment variable. An empty one is an error: it may be a secret that was not filled in.
   */
  variable(name: string): Given | undefined {
    const text = this.#env[name];
    if (text === '') throw new UsageError(`${name} is empty: give it a value, or unset it`);
    if (text === undefined) return undefined;
    return { label: name, text };
  }

  /**
   * The given option of several that exclude one another. Options override variables.
   */
  oneOf(names: readonly string[]): (Given & { readonly name: string }) | undefined {
    const all = [...this.given]
      .filter(([name]) => names.includes(name))
      .map(([name, given]) => ({ name, ...given }));
    const options = all.filter(({ name, label }) => label === `--${name}`);
    const [first, second] = options.length > 0 ? options : all;
    if (second)
      throw new UsageError(`${first?.label} and ${second.label} are both set: set one of them`);
    return first;
  }

  /** The value of an option, which must match `form`. */
  text(name: string, form = /^/, must = ''): string | undefined {
    const given = this.given.get(name);
    if (given === undefined || form.test(given.text)) return given?.text;
    throw new UsageError(`${given.label} must ${must}`);
  }

  /** The values of an option that may be given several times, which must match `form`. */
  texts(name: string, form: RegExp, must: string): readonly string[] {
    const texts = this.#several.get(name) ?? [];
    if (texts.every((text) => form.test(text))) return texts;
    throw new UsageError(`--${name} must ${must}`);
  }

  integer(name: string, min: number, max: number, defaultValue: number): number {
    const given = this.given.get(name);
    if (given === undefined) return defaultValue;
    const value = Number(given.text);
    if (/^\d{1,9}$/.test(given.text) && value >= min && value <= max) return value;
    throw new UsageError(`${given.label} must be a whole number from ${min} to ${max}`);
  }

  /** The maximum number of items to show, at least 1. Above `max` it counts as `max`. */
  limit(name: string, max: number, defaultValue: number): number {
    const text = this.text(name, /^0*[1-9]\d*$/, 'be a whole number, at least 1');
    return Math.min(Number(text ?? defaultValue), max);
  }

  isOn(name: string): boolean {
    return this.text(name, /^(on|off)$/, 'be on or off') === 'on';
  }
}
