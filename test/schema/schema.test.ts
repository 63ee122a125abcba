import { describe, expect, test } from 'vitest';
import { switchOr } from '../../src/schema/host-values.js';
import { IssueList, MAX_ISSUES, readArguments } from '../../src/schema/issue-list.js';
import { jsonOf } from '../../src/schema/json-of.js';
import { object } from '../../src/schema/object.js';
import {
  about,
  checked,
  ignored,
  mapped,
  named,
  nullish,
  optional,
  type Schema,
  schema,
} from '../../src/schema/schema.js';
import { flag, list, name, number, whole } from '../../src/schema/values.js';

const LINE = { most: 3, of: 'items' };

/** What a schema reads from a value, or the issues of the value, each as one line. */
const read = (of: Schema<unknown>, value: unknown): unknown => {
  const answer = readArguments(new IssueList(), (issues) => issues.read('input', of, value));
  if ('value' in answer) return answer.value;
  return answer.issues.map(({ path, message }) => `${path} ${message}`);
};

/** An object that counts how often each of its properties is read. */
const counting = (fields: object) => {
  const reads: Record<string, number> = {};
  const value = new Proxy(fields, {
    get: (target, property, receiver) => {
      reads[String(property)] = (reads[String(property)] ?? 0) + 1;
      return Reflect.get(target, property, receiver);
    },
  });
  return { value, reads };
};

describe('an optional field', () => {
  const fields = object({
    strict: optional(whole(0), 1),
    lenient: nullish(whole(0), 2),
    bare: optional(whole(0)),
  });

  test.each([{}, { strict: undefined, lenient: undefined }, { lenient: null }])(
    'gets its default in %o',
    (given) => {
      expect(read(fields, given)).toEqual({ strict: 1, lenient: 2, bare: undefined });
    },
  );

  test('may be null only if it is nullish', () => {
    expect(read(fields, { strict: null, lenient: null })).toEqual([
      'strict must be a whole number, at least 0',
    ]);
  });

  test('is not required in JSON Schema, which describes the default and allows null', () => {
    expect(jsonOf(fields)).toEqual({
      type: 'object',
      properties: {
        strict: expect.objectContaining({ type: ['integer', 'null'], description: 'Default: 1.' }),
        lenient: expect.objectContaining({ type: ['integer', 'null'], description: 'Default: 2.' }),
        bare: expect.not.objectContaining({ description: expect.anything() }),
      },
    });
  });
});

test('JSON Schema describes a field by its meaning, its default and its rule, in this order', () => {
  const text: Schema<string> = {
    ...name(9),
    json: () => ({ type: 'string', description: 'No spaces.' }),
  };
  const of = object({
    firstName: about('How to address the user.', optional(text, '')),
    age: about('In years.', number(0, 150)),
  });
  expect(jsonOf(of)).toEqual({
    type: 'object',
    properties: {
      first_name: {
        type: ['string', 'null'],
        description: 'How to address the user. Default: empty. No spaces.',
      },
      age: { type: 'number', minimum: 0, maximum: 150, description: 'In years.' },
    },
    required: ['age'],
  });
});

test('a JSON Schema is built on demand', () => {
  let made = 0;
  const counted = schema(
    (_issues, _path, value) => value,
    () => {
      made += 1;
      return { type: 'number' };
    },
  );
  const of = named('Point', object({ x: about('To the right.', optional(counted)) }));
  expect(read(of, { x: 1 })).toEqual({ x: 1 });
  expect(made).toBe(0);
  expect(of.named && jsonOf(of.named.of)).toHaveProperty('properties.x');
  expect(made).toBe(1);
});

test('a named schema is a reference wherever it is used, and keeps its own JSON Schema', () => {
  const point = named('Point', object({ x: whole(0) }));
  const of = object({ at: about('Where.', optional(point)), all: list(point, LINE) });
  expect(jsonOf(of).properties).toEqual({
    at: { $ref: '#/components/schemas/Point' },
    all: expect.objectContaining({ items: { $ref: '#/components/schemas/Point' } }),
  });
  expect(point.named?.name).toBe('Point');
  expect(point.named && jsonOf(point.named.of)).toMatchObject({ type: 'object', required: ['x'] });
  expect(read(point, { x: -1 })).toEqual(['x must be a whole number, at least 0']);
});

test('a checked value reports one rule at a time: its type, then what JSON Schema cannot express', () => {
  const even = checked(whole(2), (value) => value % 2 === 0, 'must be even');
  expect(read(even, 4)).toBe(4);
  expect(read(even, 3)).toEqual(['input must be even']);
  expect(read(even, 'four')).toEqual(['input must be a whole number, at least 2']);
});

test('a mapped value is checked before it is mapped', () => {
  const doubled = mapped(whole(1), (value) => value * 2);
  expect(read(doubled, 4)).toBe(8);
  expect(read(doubled, 0)).toEqual(['input must be a whole number, at least 1']);
  expect(doubled.json()).toEqual(whole(1).json());
});

describe('an object schema', () => {
  const nested = object({ place: object({ street: name(9) }), tags: list(name(3), LINE) });

  test('reports the paths of issues in nested objects and lists', () => {
    expect(read(nested, { place: { street: '' }, tags: ['a', 5] })).toEqual([
      'place.street must have 1 to 9 characters',
      'tags[1] must be a string',
    ]);
    expect(read(nested, { place: 'here', tags: [] })).toEqual([
      'place must be an object',
      'place.street is required',
    ]);
  });

  test('reports an unknown field with the nearest known name', () => {
    const given = { place: { street: 'x', stret: 'y' }, tags: [], color: 1 };
    expect(read(nested, given)).toEqual([
      'color is unknown',
      'place.stret is unknown (did you mean street?)',
    ]);
  });

  test('reports a limited number of unknown fields', () => {
    const given = Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`x${at}`, at]));
    expect(read(object({}), given)).toHaveLength(MAX_ISSUES);
  });

  test('reads inherited fields, for example getters of a class', () => {
    class Place {
      get street(): string {
        return 'Elm';
      }
    }
    expect(read(object({ street: name(9) }), new Place())).toEqual({ street: 'Elm' });
  });

  test('reads each field of a caller once', () => {
    const { value, reads } = counting({ street: 'Elm', floor: null });
    read(object({ street: name(9), floor: nullish(whole(0)), door: optional(flag) }), value);
    expect(reads).toEqual({ street: 1, floor: 1, door: 1 });
  });

  test('names a field whose getter throws, together with other issues', () => {
    const given = {
      age: -1,
      get job(): never {
        throw new Error('secret');
      },
    };
    const age = whole(0);
    expect(read(object({ job: flag, age }), given)).toEqual([
      'job cannot be read: it throws',
      'age must be a whole number, at least 0',
    ]);
    expect(read(object({ worker: object({ age, job: flag }) }), { worker: given })).toEqual([
      'worker.age must be a whole number, at least 0',
      'worker.job cannot be read: it throws',
    ]);
  });
});

describe('a list schema', () => {
  const few = list(whole(0), { least: 1, most: 3, of: 'numbers' });

  test.each([[[]], [[1, 2, 3, 4]], ['12'], [{ length: 2, 0: 1, 1: 2 }]])(
    'rejects %j, which is not an array of 1 to 3 items',
    (given) => {
      expect(read(few, given)).toEqual(['input must be an array of 1 to 3 numbers']);
    },
  );

  test('reads no more items than the maximum', () => {
    const { value, reads } = counting(Array.from({ length: 1000 }, () => -1));
    expect(read(few, value)).toHaveLength(4);
    expect(Object.keys(reads)).not.toContain('3');
  });

  test("reads each item once, whatever the array's methods do", () => {
    class Hostile extends Array<number> {
      override map(): never {
        throw new Error('called');
      }
      override [Symbol.iterator](): never {
        throw new Error('called');
      }
    }
    const { value, reads } = counting(Hostile.from([7, 8]));
    expect(read(few, value)).toEqual([7, 8]);
    expect(reads).toMatchObject({ 0: 1, 1: 1 });
  });

  test('reports holes of a sparse array', () => {
    expect(read(few, new Array(2))).toHaveLength(2);
  });

  test('contains its bounds in JSON Schema', () => {
    expect(few.json()).toMatchObject({ type: 'array', minItems: 1, maxItems: 3 });
    expect(list(flag, LINE).json()).not.toHaveProperty('minItems');
  });
});

describe('an ignored field', () => {
  const fields = object({ name: name(8), position: ignored(whole(0)) });

  test('is skipped if it is absent, and checked if it is present', () => {
    const missing = counting({ name: 'ada' });
    expect(read(fields, missing.value)).toEqual({ name: 'ada' });
    expect(missing.reads).toEqual({ name: 1 });
    expect(read(fields, { name: 'ada', position: -1 })).toEqual([
      'position must be a whole number, at least 0',
    ]);
  });
});

describe('a switch with details', () => {
  const events = switchOr(object({ length: optional(whole(1)) }));

  test.each([[true], [false], [{ length: 5 }], [{}]])('accepts %j', (given) => {
    expect(read(events, given)).toEqual(given);
  });

  test.each([['yes'], [null], [1], [[]]])('rejects %j, naming the details', (given) => {
    expect(read(events, given)).toEqual(['input must be true, false or { length }']);
  });

  test('reports issues of its details', () => {
    expect(read(object({ events }), { events: { length: 0, size: 1 } })).toEqual([
      'events.size is unknown',
      'events.length must be a whole number, at least 1',
    ]);
  });
});
