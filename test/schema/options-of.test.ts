import { describe, expect, test } from 'vitest';
import { callback, switchOr } from '../../src/schema/host-values.js';
import { object } from '../../src/schema/object.js';
import { meantWithin, optionsOf } from '../../src/schema/options-of.js';
import { optional, type Schema } from '../../src/schema/schema.js';
import { number, whole } from '../../src/schema/values.js';
import { revoked, throwing } from '../support/hostile-values.js';

interface Options {
  readonly intervalMs?: number;
  readonly batch?: number;
  readonly onEnded?: () => void;
  readonly limits?: { readonly timeLimit?: number };
  readonly events?: boolean | { readonly heartbeatMs?: number; readonly length?: number };
}

const schemas = {
  intervalMs: optional(number(1, 1000), 1),
  batch: optional(whole(1), 10),
  onEnded: optional(callback),
  limits: optional(object({ timeLimit: optional(whole(1)) })),
  events: optional(
    switchOr(object({ heartbeatMs: optional(whole(1)), length: optional(whole(1)) })),
  ),
} satisfies Readonly<Record<keyof Options, Schema<unknown>>>;

const read = optionsOf('createThing', schemas, undefined, meantWithin(schemas));

/** As a caller in JavaScript may call it. */
const unchecked = (options: unknown) => () => Reflect.apply(read, undefined, [options]);

describe('factory options', () => {
  test('are read with their defaults', () => {
    expect(read({ batch: 5, events: true })).toEqual({ intervalMs: 1, batch: 5, events: true });
  });

  test('are rejected with one TypeError that names all issues', () => {
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
    [{ timeLimit: 5 }, 'timeLimit is unknown (did you mean limits.timeLimit?)'],
    [{ events: { heartbeatMS: 5 } }, 'events.heartbeatMS is unknown (did you mean heartbeatMs?)'],
    [{ events: { speed: 5 } }, 'events.speed is unknown'],
    [{ constructor: 5 }, 'constructor is unknown'],
    [{ toString: 5, hasOwnProperty: 6 }, 'toString is unknown; hasOwnProperty is unknown'],
    [JSON.parse('{ "__proto__": 5 }'), '__proto__ is unknown'],
  ])('are rejected with the nearest known option name: %j', (options, message) => {
    expect(unchecked(options)).toThrow(new TypeError(`createThing: ${message}`));
  });

  test('are all named if they are unknown, however many', () => {
    const wrong = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`unlike${at}`, 1]));
    for (const name of Object.keys(wrong)) expect(unchecked(wrong)).toThrow(`${name} is unknown`);
  });

  test.each([[undefined], [null], [5], ['x'], [() => undefined]])(
    'must be an object, not %s',
    (options) => {
      expect(unchecked(options)).toThrow(new TypeError('createThing: options must be an object'));
    },
  );

  test.each([
    ['throw when they are read', throwing()],
    ['are a revoked proxy', revoked()],
  ])('throw a TypeError if they %s', (_name, options) => {
    expect(unchecked(options)).toThrow(
      new TypeError('createThing: options cannot be read: it throws'),
    );
  });

  test('are named if their getter throws', () => {
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

test('rules about several options are reported together with the other issues', () => {
  const readPair = optionsOf(
    'createThing',
    { least: whole(0), most: whole(0) },
    (issues, { least, most }) => issues.check(least <= most, 'least', 'must be at most `most`'),
  );
  expect(() => readPair({ least: 5, most: 3, color: 'red' })).toThrow(
    new TypeError('createThing: color is unknown; least must be at most `most`'),
  );
});
