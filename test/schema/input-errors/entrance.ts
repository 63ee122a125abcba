import type { Fields } from '../../../src/session/fields.js';
import { isFields } from '../../../src/session/fields.js';

/** A public function or method that takes an object of named fields. */
export interface Entrance {
  /** For example `SessionService.create`. */
  readonly name: string;
  /** Calls it as a program in JavaScript can: with a value of any type. */
  readonly call: (given: unknown) => unknown;
  /** What errors call the object as a whole. */
  readonly root: string;
  /** What errors call the fields, if that is not their names alone. */
  readonly within?: string;
  /** Whether a text may stand for the object. */
  readonly takesText?: true;
  /** An object that breaks no rule. */
  readonly fits?: Fields;
  /** Each field with a value of its type that breaks its rule, or `ANY`. */
  readonly fields: Fields;
}

/** In place of a value out of range: every value of the type fits. */
export const ANY = Symbol('any');

/** The fields of a type, each with a value out of range: a new field does not compile without. */
export type RangesOf<T> = { readonly [K in keyof Required<T>]: unknown };

const isIterable = (value: unknown): value is AsyncIterable<unknown> =>
  isFields(value) && Symbol.asyncIterator in value;

const firstOf = async (items: AsyncIterable<unknown>): Promise<unknown> => {
  for await (const item of items) return item;
  return undefined;
};

const isInvalid = (error: unknown): error is { readonly message: string } =>
  isFields(error) && error['type'] === 'invalid_input' && typeof error['message'] === 'string';

/** The message of a thrown `TypeError`, without the name of the function or class. */
const thrownMessage = (cause: unknown): string => {
  if (cause instanceof TypeError) return cause.message.replace(/^\w+: /, '');
  const error: unknown = isFields(cause) ? cause['error'] : undefined;
  if (isInvalid(error)) return error.message;
  throw cause;
};

/** How an entrance rejects a value: the message of its `TypeError` or of its `invalid_input`. */
export const saidOf = async (entrance: Entrance, given: unknown): Promise<string> => {
  try {
    const returned = entrance.call(given);
    const result = await (isIterable(returned) ? firstOf(returned) : returned);
    const error: unknown = isFields(result) ? result['error'] : undefined;
    return isInvalid(error) ? error.message : `accepted, with ${JSON.stringify(error)}`;
  } catch (cause) {
    return thrownMessage(cause);
  }
};
