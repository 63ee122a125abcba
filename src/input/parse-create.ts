import type { Result } from 'neverthrow';
import { canonicalJson } from '../session/canonical-json.js';
import type { InvalidInput } from '../session/errors.js';
import { KEY_LENGTH } from '../session/limits.js';
import type {
  HistoryEntry,
  JsonObject,
  SessionLabels,
  SessionOptions,
} from '../session/session.js';
import type { ReadSize } from '../store/session-store.js';
import { asGiven, by, fieldsOf, nullable, optional, withDefault } from './fields-of.js';
import type { InputPolicy } from './input-policy.js';
import type { IssueList } from './issue-list.js';
import { parseEntries } from './parse-entries.js';
import {
  parseFields,
  parseName,
  parseNumber,
  parseOperationId,
  parseSwitch,
  parseText,
  parseWhole,
} from './parse-fields.js';
import { parseMetadata } from './parse-json.js';
import { parseLabels } from './parse-labels.js';
import { historyLimit } from './parse-list-query.js';
import { parseSafely } from './parse-safely.js';
import { createRules, positionRule } from './rule.js';

export interface ParsedCreation extends ReadSize {
  /** The caller's own id, if there is one. */
  readonly id: string | undefined;
  readonly options: SessionOptions;
  readonly labels: SessionLabels | undefined;
  readonly metadata: JsonObject | undefined;
  readonly start: boolean;
  readonly wake: boolean;
  readonly entries: readonly HistoryEntry[];
  readonly from: { readonly id: string; readonly position?: number } | undefined;
  readonly idempotencyKey: string | undefined;
  /** With an idempotency key: the part of the input that must be the same in a repeated create. */
  readonly content: string;
}

const parseOriginFields = fieldsOf({
  id: by(parseName, KEY_LENGTH),
  position: nullable(optional(by(parseWhole, positionRule.least))),
});

const parseOrigin = (issues: IssueList, path: string, value: unknown): ParsedCreation['from'] => {
  if (value === undefined || value === null) return undefined;
  const { id, position } = parseOriginFields(issues, path, value, `${path}.`);
  return { id, ...(position !== undefined && { position }) };
};

const parseOwnId = optional(by(parseName, KEY_LENGTH));

/** A name of those that the host allows; empty if it is missing. */
const parseAllowed = (
  issues: IssueList,
  path: string,
  value: unknown,
  { most, allowed }: typeof createRules.face | typeof createRules.profile,
  policy: InputPolicy,
): string => {
  const name = value === undefined ? '' : parseName(issues, path, value, most);
  const isAllowed = policy[allowed]?.has(name) ?? true;
  issues.check(isAllowed, path, 'is not one of the names that this host allows');
  return name;
};

/** The parsers of the options of a session. */
const optionParsers = (policy: InputPolicy) => {
  const { face, profile, context, behavior, timeLimit } = createRules;
  const { limits } = policy;
  const parseLimited = by(parseNumber, timeLimit.least, limits[timeLimit.most]);
  return {
    face: nullable(by(parseAllowed, face, policy)),
    profile: nullable(by(parseAllowed, profile, policy)),
    context: nullable(withDefault(context.absent, by(parseText, limits[context.mostBytes]))),
    behavior: nullable(withDefault(behavior.absent, by(parseText, limits[behavior.mostBytes]))),
    timeLimit: nullable(withDefault(timeLimit.absent, parseLimited)),
  };
};

/** Written by hand, because every create needs them, and a loop takes many times as long. */
const optionsIn = ({
  face,
  profile,
  context,
  behavior,
  timeLimit,
}: SessionOptions): SessionOptions =>
  Object.freeze({ face, profile, context, behavior, timeLimit });

const creationFields = (policy: InputPolicy) =>
  fieldsOf({
    id: parseOwnId,
    ...optionParsers(policy),
    labels: parseLabels,
    metadata: by(parseMetadata, policy.limits),
    start: nullable(parseSwitch),
    entries: asGiven,
    from: parseOrigin,
    idempotencyKey: parseOperationId,
    historyLimit,
    wake: nullable(parseSwitch),
  });

/** By policy, because every create needs them. */
const parsersOf = new WeakMap<InputPolicy, ReturnType<typeof creationFields>>();

const creationParserOf = (policy: InputPolicy) => {
  const known = parsersOf.get(policy) ?? creationFields(policy);
  parsersOf.set(policy, known);
  return known;
};

/** Parses the input of `create`. `null` in an optional field counts as absent. */
export const parseCreate = (
  input: unknown,
  policy: InputPolicy,
  now: string,
): Result<ParsedCreation, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = creationParserOf(policy)(issues, 'input', input);
    const { id, labels, metadata, start, wake, from, idempotencyKey } = fields;
    const range = { least: 0, now, limits: policy.limits };
    const entries = parseEntries(issues, 'entries', fields.entries ?? [], range);
    const options = optionsIn(fields);
    const creation = {
      id,
      options,
      labels,
      metadata,
      start,
      wake,
      entries: entries.parsed,
      from,
      idempotencyKey,
      historyLimit: fields.historyLimit,
      content: '',
    };
    if (idempotencyKey === undefined) return creation;
    const content: unknown[] = [options, labels, start, from, entries.given()];
    if (wake) content.push('wake');
    if (metadata !== undefined) content.push(canonicalJson(metadata));
    // The key alone does not say which session: another key under the same id is another create.
    if (id !== undefined) content.push(id, idempotencyKey);
    return { ...creation, content: JSON.stringify(content) };
  });

export interface ParsedGetOrCreate extends ParsedCreation {
  readonly id: string;
}

/** Parses the input of `getOrCreate`: that of a create with an id, started by default. */
export const parseGetOrCreate = (
  input: unknown,
  policy: InputPolicy,
  now: string,
): Result<ParsedGetOrCreate, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = parseFields(issues, 'input', input);
    const id = parseName(issues, 'id', fields['id'], KEY_LENGTH);
    issues.check(
      fields['idempotencyKey'] === undefined,
      'idempotencyKey',
      'is not needed: the id makes the call safe to repeat',
    );
    return { id, creation: { ...fields, start: fields['start'] ?? true } };
  }).andThen(({ id, creation }) =>
    parseCreate(creation, policy, now).map((parsed) => ({ ...parsed, id })),
  );
