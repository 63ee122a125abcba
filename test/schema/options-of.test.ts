import { describe, expect, test } from 'vitest';
import { callback, switchOr } from '../../src/schema/host-values.js';
import { object } from '../../src/schema/object.js';
import { optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema } from '../../src/schema/schema.js';
import { number, whole } from '../../src/schema/values.js';
import { revoked, throwing } from '../support/hostile-values.js';

interface Options {
  readonly intervalMs?: number;
  readonly batch?: number;
  readonly onEnded?: () => void;
  readonly events?: boolean | { readonly heartbeatMs?: number; readonly length?: number };
}

const schemas = {
  intervalMs: optional(number(1, 1000), 1),
  batch: optional(whole(1), 10),
  onEnded: optional(callback),
  events: optional(
    switchOr(object({ heartbeatMs: optional(whole(1)), length: optional(whole(1)) })),
  ),
} satisfies Readonly<Record<keyof Options, Schema<unknown>>>;

const read = optionsOf('createThing', schemas);

/** As a caller in JavaScript may call it. */
const unchecked = (options: unknown) => () => Reflect.apply(read, undefined, [options]);

describe('the options of a factory', () => {
  test('are read, with their defaults', () => {
    expect(read({ batch: 5, events: true })).toEqual({ intervalMs: 1, batch: 5, events: true });
  });

  test('throw one TypeError that names everything that is wrong with them', () => {
    expect(unchecked({ batch: 0, intervalMs: 'fast', color: 'red' })).toThrow(
      new TypeError(
        'createThing: color is unknown; intervalMs must be a number from 1 to 1000; batch must be a whole number, at least 1',
      ),
    );
  });

  test.each([
    [{ intervalMS: 5 }, 'intervalMS is unknown (did you mean intervalMs?)'],
    [{ intrevalMs: 5 }, 'intrevalMs is unknown (did you mean intervalMs?)'],
    [{ interval: 5 }, 'interval is unknown (did you mean intervalMs?)'],
    [{ INTERVALMS: 5 }, 'INTERVALMS is unknown (did you mean intervalMs?)'],
    [{ onended: 5 }, 'onended is unknown (did you mean onEnded?)'],
    [{ events: { heartbeatMS: 5 } }, 'events.heartbeatMS is unknown (did you mean heartbeatMs?)'],
    [{ events: { speed: 5 } }, 'events.speed is unknown'],
    [{ constructor: 5 }, 'constructor is unknown'],
    [{ toString: 5, hasOwnProperty: 6 }, 'toString is unknown; hasOwnProperty is unknown'],
    [JSON.parse('{ "__proto__": 5 }'), '__proto__ is unknown'],
  ])('name the option that was probably meant: %j', (options, message) => {
    expect(unchecked(options)).toThrow(new TypeError(`createThing: ${message}`));
  });

  test('are all named, however many are wrong', () => {
    const wrong = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`unlike${at}`, 1]));
    for (const name of Object.keys(wrong)) expect(unchecked(wrong)).toThrow(`${name} is unknown`);
  });

  test.each([[undefined], [null], [5], ['x'], [() => undefined]])(
    'are an object, not %s',
    (options) => {
      expect(unchecked(options)).toThrow(new TypeError('createThing: options must be an object'));
    },
  );

  test.each([
    ['that throw when they are looked at', throwing()],
    ['that are a revoked proxy', revoked()],
  ])('%s are a mistake of the same kind', (_name, options) => {
    expect(unchecked(options)).toThrow(
      new TypeError('createThing: options cannot be read: it throws'),
    );
  });

  test('name an option whose getter throws', () => {
    const options = {
      get batch() {
        throw new RangeError('secret');
      },
    };
    expect(unchecked(options)).toThrow(
      new TypeError('createThing: batch cannot be read: it throws'),
    );
  });
});

test('rules of several options are told with the others', () => {
  const readPair = optionsOf(
    'createThing',
    { least: whole(0), most: whole(0) },
    (issues, { least, most }) => issues.check(least <= most, 'least', 'must be at most `most`'),
  );
  expect(() => readPair({ least: 5, most: 3, color: 'red' })).toThrow(
    new TypeError('createThing: color is unknown; least must be at most `most`'),
  );
});
