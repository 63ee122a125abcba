import { createBody, parseCreate } from '../../src/input/create-input.js';
import { appendBody, parseAppend } from '../../src/input/entries-input.js';
import { anyPolicy } from '../../src/input/input-policy.js';
import { listFields, parseListQuery } from '../../src/input/list-query.js';
import { jsonOf } from '../../src/schema/json-of.js';
import { object } from '../../src/schema/object.js';
import type { InvalidInput } from '../../src/session/errors.js';
import type { Answer, Subject } from './subject.js';

interface Parsed {
  readonly match: <A>(made: (value: unknown) => A, failed: (error: InvalidInput) => A) => A;
}

const answerOf = (parsed: Parsed): Answer =>
  parsed.match<Answer>(
    (value) => ({ value }),
    ({ issues }) => ({ issues }),
  );

export const subject: Subject = {
  create: (input) => answerOf(parseCreate(input, anyPolicy)),
  append: (entries, options) => answerOf(parseAppend(entries, options, anyPolicy)),
  list: (query) => answerOf(parseListQuery(query)),
  jsonSchemas: () => [createBody(anyPolicy), appendBody(anyPolicy), object(listFields)].map(jsonOf),
};
