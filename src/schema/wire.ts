import { isFields } from '../session/fields.js';
import { IssueList } from './issue-list.js';
import { fieldsIn } from './object.js';
import {
  type FieldSchemas,
  type Out,
  type Read,
  type Schema,
  typed,
  type WireField,
} from './schema.js';
import { anyText } from './values.js';

type OptionalName<F extends FieldSchemas> = {
  [K in keyof F]: F[K] extends { readonly isOptional: true } ? K : never;
}[keyof F];

export type WireOut<F extends FieldSchemas> = {
  readonly [K in Exclude<keyof F, OptionalName<F>>]: Out<F[K]>;
} & { readonly [K in OptionalName<F>]?: Exclude<Out<F[K]>, undefined> };

/** An object that the service sends, and a client reads. */
export interface WireObject<F extends FieldSchemas> extends Schema<WireOut<F>> {
  readonly fields: F;
}

interface Field {
  readonly name: string;
  readonly sentAs: string;
  /** Apart from its schema, because properties of objects of many forms take longer to find. */
  readonly read: Read<unknown>;
  readonly isOptional: boolean;
}

/**
 * An object whose fields have their names on the wire. A later version of the service may send
 * more: unknown fields are ignored, and an optional field of another form counts as missing. An
 * issue names the innermost field alone: to build the path of each field of a page takes longer
 * than to read it, and clients only need to know whether there is an issue.
 */
export function wireObject<const F extends FieldSchemas>(fields: F): WireObject<F>;
export function wireObject(fields: FieldSchemas): WireObject<FieldSchemas> {
  const wire = wireFields(fields);
  const all = wire.map(
    ({ name, sentAs, of }): Field => ({
      name,
      sentAs,
      read: of.read,
      isOptional: of.isOptional === true,
    }),
  );
  return {
    fields,
    wire,
    json: () => ({ type: 'object', additionalProperties: false }),
    read: (issues, path, value) => {
      const given = fieldsIn(issues, path, value);
      const found: Record<string, unknown> = {};
      for (const { name, sentAs, read, isOptional } of all) {
        const sentValue = given[sentAs];
        if (isOptional && sentValue === undefined) continue;
        const { length } = issues.found;
        const field = read(issues, sentAs, sentValue);
        if (isOptional && issues.found.length > length) issues.found.length = length;
        else if (field !== undefined) found[name] = field;
      }
      return found;
    },
  };
}

/** An array of any length that the service sends, and a client reads. */
export const wireList = <T>(items: Schema<T>): Schema<readonly T[]> => ({
  items,
  json: () => ({ type: 'array' }),
  read: (issues, path, value) => {
    if (Array.isArray(value))
      return value.map((item, at) => items.read(issues, `${path}[${at}]`, item));
    issues.check(false, path, 'must be an array');
    return [];
  },
});

/** The name of a field on the wire: `created_at` for `createdAt`. */
export const wireName = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export const wireFields = (fields: FieldSchemas): readonly WireField[] =>
  Object.entries(fields).map(([name, of]) => ({ name, sentAs: of.sentAs ?? wireName(name), of }));

/** Reads a value from the wire; undefined if it has another form. */
export const received = <T>({ read }: Schema<T>, value: unknown): T | undefined => {
  const issues = new IssueList(1);
  const found = read(issues, '', value);
  return issues.found.length === 0 ? found : undefined;
};

export const sent = ({ wire, items }: Schema<unknown>, value: unknown): unknown => {
  if (items !== undefined && Array.isArray(value)) return value.map((item) => sent(items, item));
  if (wire === undefined) return value;
  const given = isFields(value) ? value : {};
  const written: Record<string, unknown> = {};
  for (const { name, sentAs, of } of wire)
    if (given[name] !== undefined) written[sentAs] = sent(of, given[name]);
  return written;
};

/*
 * What the service sends has no limits, because it may have been stored under other limits.
 */

export const instant: Schema<string> = {
  ...anyText,
  json: () => ({ type: 'string', format: 'date-time' }),
};

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value);

export const count = (minimum = 0): Schema<number> =>
  typed(isWhole, 'must be a whole number', minimum, () => ({ type: 'integer', minimum }));
