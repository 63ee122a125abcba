import { describe, expect, test } from 'vitest';
import { jsonOf } from '../../src/schema/json-of.js';
import { about, optional, type Schema } from '../../src/schema/schema.js';
import { anyText, flag } from '../../src/schema/values.js';
import { received, sent, wireList, wireObject } from '../../src/schema/wire.js';

const book = wireObject({
  bookId: { ...anyText, sentAs: 'id' },
  isSold: about('Whether somebody has bought it.', flag),
  soldTo: optional(anyText),
});

describe('a wire object', () => {
  test('is read and written by its wire names', () => {
    const sold = { bookId: 'b-1', isSold: true, soldTo: 'ada' };
    const json = { id: 'b-1', is_sold: true, sold_to: 'ada' };
    expect(sent(book, sold)).toEqual(json);
    expect(received(book, json)).toEqual(sold);
  });

  test('is read without unknown fields, and written without undefined ones', () => {
    const read = received(book, { id: 'b-1', is_sold: false, price: 3 });
    expect(read).toStrictEqual({ bookId: 'b-1', isSold: false });
    const untyped: Schema<unknown> = book;
    const written = sent(untyped, { bookId: 'b-1', isSold: false, soldTo: undefined });
    expect(written).toStrictEqual({ id: 'b-1', is_sold: false });
  });

  test('is read without an optional field of another type', () => {
    const read = received(book, { id: 'b-1', is_sold: false, sold_to: null });
    expect(read).toStrictEqual({ bookId: 'b-1', isSold: false });
  });

  test('ignores an optional field of another type, but rejects an invalid list item', () => {
    const odd = { id: 'b-1', is_sold: false, sold_to: null };
    const read = [{ bookId: 'b-1', isSold: false }];
    expect(received(wireList(book), [odd])).toStrictEqual(read);
    expect(received(wireList(book), [odd, { id: 'b-2' }])).toBeUndefined();
    expect(received(wireList(book), [{ id: 'b-2' }, odd])).toBeUndefined();
  });

  test.each([[{ id: 'b-1' }], [{ id: 1, is_sold: true }], [[]], [null], ['text']])(
    'is not read from %j, which lacks a required field',
    (value) => {
      expect(received(book, value)).toBeUndefined();
      expect(received(wireList(book), [value])).toBeUndefined();
    },
  );

  test('has a JSON Schema with its wire names and descriptions, and no other fields', () => {
    expect(jsonOf(book)).toEqual({
      type: 'object',
      properties: {
        id: { type: 'string' },
        is_sold: { type: 'boolean', description: 'Whether somebody has bought it.' },
        sold_to: { type: 'string' },
      },
      required: ['id', 'is_sold'],
      additionalProperties: false,
    });
  });
});
