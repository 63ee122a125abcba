import { describe, expect, test } from 'vitest';
import { parseNumber, parseWhole } from '../../src/input/parse-fields.js';
import { parseOptions } from '../../src/input/parse-options.js';
import { revoked, throwing } from '../support/hostile-values.js';

interface Options {
  readonly intervalMs?: number;
  readonly batch?: number;
  readonly onEnded?: () => void;
  readonly events?: boolean | { readonly heartbeatMs?: number; readonly length?: number };
}

const names = {
  intervalMs: true,
  batch: true,
  onEnded: true,
  events: { heartbeatMs: true, length: true },
} as const;

const read = (options: Options) =>
  parseOptions('createThing', options, names, (issues) => {
    const { intervalMs = 1, batch = 10 } = options;
    return {
      intervalMs: parseNumber(issues, 'intervalMs', intervalMs, 1, 1000),
      batch: parseWhole(issues, 'batch', batch, 1),
    };
  });

/** As a caller in JavaScript may call it. */
const unchecked = (options: unknown) => () => Reflect.apply(read, undefined, [options]);

describe('the options of a factory', () => {
  test('are read, with their defaults', () => {
    expect(read({ batch: 5, events: true, onEnded: () => undefined })).toEqual({
      intervalMs: 1,
      batch: 5,
    });
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
    [
      'with a getter that throws',
      {
        get batch() {
          throw new RangeError('secret');
        },
      },
    ],
  ])('%s are a mistake of the same kind', (_name, options) => {
    expect(unchecked(options)).toThrow(
      new TypeError('createThing: options cannot be read: it throws'),
    );
  });
});

describe('the names of options', () => {
  const options: Options = {};
  const others = { batch: true, onEnded: true } as const;
  const read = () => 7;

  test('are all of those that the type has, and no others', () => {
    const events = { heartbeatMs: true, length: true } as const;
    // @ts-expect-error events is missing.
    parseOptions('createThing', options, { intervalMs: true, ...others }, read);
    parseOptions(
      'createThing',
      options,
      // @ts-expect-error There is no option speed.
      { speed: true, intervalMs: true, batch: true, onEnded: true, events },
      read,
    );
    parseOptions(
      'createThing',
      options,
      // @ts-expect-error events.length is missing.
      { intervalMs: true, ...others, events: { heartbeatMs: true } },
      read,
    );
    expect(
      parseOptions('createThing', options, { intervalMs: true, ...others, events }, read),
    ).toBe(7);
    expect(
      parseOptions('createThing', options, { intervalMs: true, ...others, events: true }, read),
    ).toBe(7);
  });
});

test('known issues are reported even if the rest cannot be read', () => {
  const read = () =>
    parseOptions('createThing', { batch: 0 }, { batch: true }, (issues) => {
      parseWhole(issues, 'batch', 0, 1);
      throw new RangeError('because of that');
    });
  expect(read).toThrow(new TypeError('createThing: batch must be a whole number, at least 1'));
});
