import { tellHost } from '../session/call-host.js';
import { type Fields, hasMethods, isFields } from '../session/fields.js';
import type { WatchSignal } from '../session/session-event.js';
import { type FieldSchemas, mapped, optional, type Schema, schema, typed } from './schema.js';

/*
 * Values of the host that JSON cannot contain.
 */

type AnyFunction = (...given: readonly unknown[]) => unknown;

const isFunction = (value: unknown): value is AnyFunction => typeof value === 'function';

export const callback: Schema<AnyFunction> = typed(isFunction, 'must be a function', () => {});

/** A listener of the host, which may be missing. Its exceptions and rejections are ignored. */
export const listener: Schema<(value?: unknown) => void> = mapped(
  optional(callback),
  (call) => (value) => tellHost(() => call?.(value)),
);

const isSignal = (value: unknown): value is WatchSignal =>
  isFields(value) &&
  typeof value['aborted'] === 'boolean' &&
  hasMethods(value, 'addEventListener', 'removeEventListener');

export const signal: Schema<WatchSignal | undefined> = optional(
  typed(isSignal, 'must be an AbortSignal', undefined),
);

/**
 * An object of the host with these methods. Their results are unknown here: the type of the host's
 * option describes them.
 */
export const having = (rule: string, ...methods: readonly string[]): Schema<unknown> =>
  schema((issues, path, value) => {
    issues.check(hasMethods(value, ...methods), path, rule);
    return value;
  });

export const functionOf = (rule: string): Schema<unknown> =>
  schema((issues, path, value) => {
    issues.check(typeof value === 'function', path, rule);
    return value;
  });

/** `true`, `false`, or an object with details. */
export const switchOr = <T>(
  of: Schema<T> & { readonly fields: FieldSchemas },
): Schema<boolean | T> => {
  const rule = `must be true, false or { ${Object.keys(of.fields).join(', ')} }`;
  return schema((issues, path, value) => {
    if (typeof value === 'boolean') return value;
    issues.check(isFields(value), path, rule);
    return isFields(value) ? of.read(issues, path, value) : false;
  });
};

const isCreation = (value: unknown): value is true | Fields => value === true || isFields(value);

/** The options of a session to create if it is missing. They are read when it is. */
export const creation = optional(typed(isCreation, 'must be true or an object', undefined));
