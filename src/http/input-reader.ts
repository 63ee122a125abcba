import { err, ok, type Result } from 'neverthrow';
import { type AnyOperation, given, labelOf, type OperationInput } from '../endpoints/endpoint.js';
import { idempotencyKeyIn, idempotencyKey as keyHeader } from '../endpoints/headers.js';
import type { IssueList } from '../schema/issue-list.js';
import type { JsonSchema } from '../schema/json-schema.js';
import { readSafely } from '../schema/read-input.js';
import { checkKnown, nearMiss, reportUnknown } from '../schema/unknown-fields.js';
import { wireFields } from '../schema/wire.js';
import type { InvalidInput } from '../session/errors.js';
import type { Fields } from '../session/fields.js';
import { KEY_LENGTH } from '../session/limits.js';
import { bodyReader } from './body-reader.js';
import type { HandlerError } from './handler-error.js';
import type { Call } from './route.js';
import type { HandlerRequest } from './session-handler.js';
import { isStrict } from './strict-handling.js';

const IDEMPOTENCY_KEY_RULE = `must be 1 to ${KEY_LENGTH} printable ASCII characters, bare or in double quotes`;

export const parseIdempotencyKey = (
  request: HandlerRequest,
): Result<string | undefined, InvalidInput> =>
  readSafely((issues) => {
    const { wireName: name } = keyHeader;
    const value = request.header(name.toLowerCase());
    const key = value && idempotencyKeyIn(value);
    issues.check(value === undefined || Boolean(key), name, IDEMPOTENCY_KEY_RULE);
    return key;
  });

export const numberIn = (fields: Fields, name: string): number | undefined => {
  const value = fields[name];
  return typeof value === 'number' ? value : undefined;
};

const wholeNumber = /^(?:0|[1-9]\d*)$/;
const decimal = /^\d+(?:\.\d+)?$/;

/** A string that is not a whole number stays unchanged, and the service rejects it. */
const asNumber = (text: string | undefined): string | number | undefined =>
  text && wholeNumber.test(text) ? Number(text) : text;

const valuesIn = (
  issues: IssueList,
  sentAs: string,
  texts: readonly string[],
  isLabels: boolean,
): unknown => {
  if (!isLabels) return texts.length === 1 ? texts[0] : texts;
  const given = texts.filter((each) => each !== '').map(labelOf);
  const areNamed = given.every(([, value]) => value !== undefined);
  issues.check(areNamed, sentAs, 'must have the form name:value, as in user:u-1');
  const labels = new Map(given);
  issues.check(labels.size === given.length, sentAs, 'must have each name once');
  return Object.fromEntries(labels);
};

const parseParameter = (
  issues: IssueList,
  sentAs: string,
  { type, minimum = 0 }: JsonSchema,
  texts: readonly string[],
): unknown => {
  const [text] = texts;
  if (text === undefined) return undefined;
  if (type === 'array' || type === 'object')
    return valuesIn(issues, sentAs, texts, type === 'object');
  issues.check(texts.length === 1, sentAs, 'must be given once');
  if (type === 'number') {
    issues.check(decimal.test(text), sentAs, 'must be a number in decimal digits');
    return Number(text);
  }
  if (type !== 'integer') return text;
  const fits = wholeNumber.test(text) && Number(text) >= minimum;
  issues.check(fits, sentAs, `must be a whole number, at least ${minimum}, in decimal digits`);
  return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
};

/**
 * Rejects parameters that are probably misspelt: ignoring a filter would return what it was meant
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
 * parameters whose names are not near known ones, unless the request asks for strict handling.
 */
export const queryParser = ({
  query = {},
}: AnyOperation): ((
  call: Pick<Call<unknown>, 'query' | 'request'>,
) => Result<Fields, InvalidInput>) => {
  const parameters = wireFields(query).map((field) => ({ ...field, json: field.of.json() }));
  const names = parameters.map(({ sentAs }) => sentAs);
  return ({ query: sent, request }) =>
    readSafely((issues) => {
      const given = new URLSearchParams(sent);
      if (isStrict(request)) checkKnown(issues, Object.fromEntries(given), names);
      else refuseNearMisses(issues, given, names);
      const fields: Record<string, unknown> = {};
      for (const { name, sentAs, json } of parameters) {
        const value = parseParameter(issues, sentAs, json, given.getAll(sentAs));
        if (value !== undefined) fields[name] = value;
      }
      return fields;
    });
};

export const inputReader = (operation: AnyOperation) => {
  const parseQuery = queryParser(operation);
  const readBody = operation.body && bodyReader(operation);
  const { operationId, idempotencyKey, fencingToken } = operation.headers ?? {};
  return async (call: Call<unknown>): Promise<Result<OperationInput, HandlerError>> => {
    const query = parseQuery(call);
    if (query.isErr()) return err(query.error);
    const body = (await readBody?.(call)) ?? ok({});
    if (body.isErr()) return err(body.error);
    const key = (operationId ?? idempotencyKey) ? parseIdempotencyKey(call.request) : ok(undefined);
    if (key.isErr()) return err(key.error);
    const options = given({
      [operationId ? 'operationId' : 'idempotencyKey']: key.value,
      fencingToken:
        fencingToken && asNumber(call.request.header(fencingToken.wireName.toLowerCase())),
    });
    return ok({ id: call.id, query: query.value, body: body.value, options });
  };
};
