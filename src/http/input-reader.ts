import { err, ok, type Result } from 'neverthrow';
import type { IssueList } from '../input/issue-list.js';
import { parseSafely } from '../input/parse-safely.js';
import { nearMiss, reportUnknown } from '../input/unknown-fields.js';
import { IDEMPOTENCY_KEY_RULE, idempotencyKeyIn } from '../operations/idempotency-key.js';
import {
  type AnyOperation,
  given,
  labelOf,
  type OperationInput,
  type QueryParameter,
} from '../operations/operation.js';
import { idempotencyKey } from '../operations/parameters.js';
import { wireName } from '../operations/shape.js';
import type { InvalidInput } from '../session/errors.js';
import type { Fields } from '../session/fields.js';
import { bodyReader } from './body-reader.js';
import type { HandlerError } from './handler-error.js';
import type { Call } from './route.js';
import type { HandlerRequest } from './session-handler.js';

/** The idempotency key of a request, if it has one. */
export const parseIdempotencyKey = (
  request: HandlerRequest,
): Result<string | undefined, InvalidInput> =>
  parseSafely('headers', (issues) => {
    const { wireName: name } = idempotencyKey;
    const value = request.header(name.toLowerCase());
    const key = value && idempotencyKeyIn(value);
    issues.check(value === undefined || Boolean(key), name, IDEMPOTENCY_KEY_RULE);
    return key;
  });

/** The value of a parameter that is a number. */
export const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
};

const wholeNumber = /^(?:0|[1-9]\d*)$/;

/** The number in a text; a text that is none stays as it is, for the service to refuse. */
const asNumber = (text: string | undefined): string | number | undefined =>
  text && wholeNumber.test(text) ? Number(text) : text;

const parseParameter = (
  issues: IssueList,
  sent: URLSearchParams,
  name: string,
  rule: QueryParameter,
): unknown => {
  const texts = sent.getAll(name);
  const [text] = texts;
  if (text === undefined) return undefined;
  if (rule.kind === 'labels') {
    const given = texts.filter((each) => each !== '').map(labelOf);
    const labels = new Map(given);
    issues.check(labels.size === given.length, name, 'must have each name once');
    return Object.fromEntries(labels);
  }
  if (rule.kind === 'texts') return texts.length === 1 ? text : texts;
  issues.check(texts.length === 1, name, 'must be given once');
  if (rule.kind === 'text') return text;
  const { least, most = Number.MAX_SAFE_INTEGER } = rule;
  const fits = wholeNumber.test(text) && Number(text) >= least;
  issues.check(fits, name, `must be a whole number, at least ${least}, in decimal digits`);
  return Math.min(Number(text), most);
};

/**
 * Refuses parameters that are probably misspelled: ignoring a filter would return what it was meant
 * to exclude. Other unknown parameters are ignored.
 */
const refuseNearMisses = (
  issues: IssueList,
  given: URLSearchParams,
  names: readonly string[],
): void => {
  for (const name of new Set(given.keys())) {
    const meant = names.includes(name) ? undefined : nearMiss(name, names);
    if (meant !== undefined) reportUnknown(issues, name, meant);
  }
};

/**
 * Parses the query parameters of an operation, by their names in the service. Ignores unknown
 * parameters whose names are not near known ones.
 */
export const queryParser = ({
  query = {},
}: AnyOperation): ((sent: string) => Result<Fields, InvalidInput>) => {
  const parameters = Object.entries(query).map(([name, rule]) => ({
    name,
    sentAs: wireName(name),
    rule,
  }));
  const names = parameters.map(({ sentAs }) => sentAs);
  return (sent) =>
    parseSafely('query', (issues) => {
      const given = new URLSearchParams(sent);
      refuseNearMisses(issues, given, names);
      const fields: Record<string, unknown> = {};
      for (const { name, sentAs, rule } of parameters) {
        const value = parseParameter(issues, given, sentAs, rule);
        if (value !== undefined) fields[name] = value;
      }
      return fields;
    });
};

/** Reads the input of an operation that calls a method of the service. */
export const inputReader = (operation: AnyOperation) => {
  const parseQuery = queryParser(operation);
  const readBody = operation.body && bodyReader(operation);
  const { operationId, fencingToken } = operation.headers ?? {};
  return async (call: Call<unknown>): Promise<Result<OperationInput, HandlerError>> => {
    const query = parseQuery(call.query);
    if (query.isErr()) return err(query.error);
    const body = (await readBody?.(call)) ?? ok({});
    if (body.isErr()) return err(body.error);
    const key = operationId ? parseIdempotencyKey(call.request) : ok(undefined);
    if (key.isErr()) return err(key.error);
    const options = given({
      operationId: key.value,
      fencingToken:
        fencingToken && asNumber(call.request.header(fencingToken.wireName.toLowerCase())),
    });
    return ok({ id: call.id, query: query.value, body: body.value, options });
  };
};
