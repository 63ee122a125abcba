import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';
import type { InputIssue } from '../../src/session/errors.js';
import * as rules from './rules.js';
import type { Answer, Subject } from './subject.js';

const { limits } = rules;

const name = (most: number) => {
  const rule = `must have 1 to ${most} characters`;
  return v.pipe(v.string('must be a string'), v.minLength(1, rule), v.maxLength(most, rule));
};

const text = (most: number) =>
  v.pipe(
    v.string('must be a string'),
    v.check(
      (given) => !rules.exceedsBytes(given, most),
      `must have at most ${most} bytes of UTF-8`,
    ),
  );

const number = (least: number, most: number) => {
  const rule = `must be a number from ${least} to ${most}`;
  return v.pipe(v.number(rule), v.minValue(least, rule), v.maxValue(most, rule));
};

const whole = (least: number) => {
  const rule = `must be a whole number, at least ${least}`;
  return v.pipe(v.number(rule), v.safeInteger(rule), v.minValue(least, rule));
};

const flag = v.boolean('must be true or false');

const by = <T>(read: (value: unknown, tell: (rule: string) => void) => T) =>
  v.pipe(
    v.unknown(),
    v.rawTransform(
      ({ dataset, addIssue }): T => read(dataset.value, (message) => addIssue({ message })),
    ),
  );

const time = by(rules.readTime);

const labels = v.pipe(
  v.record(
    v.pipe(v.string(), v.regex(rules.LABEL_NAME)),
    name(rules.LABEL_VALUE_LENGTH),
    'must be an object',
  ),
  v.maxEntries(rules.MAX_LABELS, `must be at most ${rules.MAX_LABELS}`),
);

const sortedLabels = v.pipe(labels, v.transform(rules.labelsOf));

const operationId = v.pipe(
  name(rules.KEY_LENGTH),
  v.check((id) => !rules.UNSTORABLE.test(id), 'must be well-formed Unicode'),
);

const entry = v.strictObject({
  role: name(rules.ROLE_LENGTH),
  content: text(limits.contentBytes),
  timestamp: v.nullish(time),
  id: v.nullish(name(rules.ENTRY_ID_LENGTH)),
  data: v.nullish(by(rules.readJson)),
  position: v.nullish(whole(0)),
});

const entries = (least: number) => {
  const rule = `must be an array of ${least} to ${limits.entriesPerAppend} entries`;
  const all = v.pipe(v.array(entry, rule), v.minLength(least, rule));
  return v.pipe(all, v.maxLength(limits.entriesPerAppend, rule));
};

/** Valibot checks defaults too, and no name is empty. */
const nameOrNone = v.pipe(
  v.nullish(name(rules.NAME_LENGTH)),
  v.transform((given) => given ?? ''),
);

const create = v.strictObject({
  id: v.optional(name(rules.KEY_LENGTH)),
  face: nameOrNone,
  profile: nameOrNone,
  context: v.nullish(text(limits.textBytes), ''),
  behavior: v.nullish(text(limits.textBytes), ''),
  timeLimit: v.nullish(number(0, limits.timeLimit), 0),
  labels: v.nullish(sortedLabels),
  metadata: v.nullish(by(rules.readMetadata)),
  start: v.nullish(flag, false),
  wake: v.nullish(flag, false),
  from: v.nullish(v.strictObject({ id: name(rules.KEY_LENGTH), position: v.nullish(whole(0)) })),
  entries: v.nullish(entries(0), []),
  idempotencyKey: v.optional(operationId),
  historyLimit: v.optional(whole(0)),
});

const someEntries = entries(1);

const appendOptions = v.strictObject({
  operationId: v.optional(operationId),
  fencingToken: v.optional(whole(1)),
  ifPosition: v.optional(whole(0)),
  wake: v.optional(flag, false),
});

const status = v.picklist(rules.STATUSES);

const list = v.strictObject({
  limit: v.optional(
    v.pipe(
      whole(1),
      v.transform((given) => Math.min(given, rules.PAGE_LIMIT)),
    ),
    10,
  ),
  page: v.optional(whole(1)),
  order: v.optional(v.picklist(rules.ORDERS)),
  status: v.optional(
    v.union([
      v.pipe(
        status,
        v.transform((one) => [one]),
      ),
      v.pipe(v.array(status), v.minLength(1)),
    ]),
  ),
  labels: v.optional(v.pipe(labels, v.minEntries(1), v.transform(rules.labelsOf))),
  createdAfter: v.optional(time),
  createdBefore: v.optional(time),
  cursor: v.optional(v.string()),
  historyLimit: v.optional(whole(0)),
});

const ruleOf = (issue: v.BaseIssue<unknown>, names: readonly string[]): string => {
  if (issue.type !== 'strict_object' || issue.expected !== 'never') return issue.message;
  return rules.unknownRule(String(issue.input), names);
};

const issuesOf = (
  issues: readonly v.BaseIssue<unknown>[],
  names: readonly string[],
  root = '',
): readonly InputIssue[] =>
  issues.slice(0, 20).map((issue) => ({
    path: root + rules.pathOf((issue.path ?? []).map(({ key }) => key as PropertyKey)) || 'input',
    message: ruleOf(issue, names),
  }));

const createNames = Object.keys(create.entries);
const optionNames = Object.keys(appendOptions.entries);
const entryNames = Object.keys(entry.entries);
const listNames = Object.keys(list.entries);

const readCreate = (input: unknown): Answer => {
  const read = v.safeParse(create, input);
  if (!read.success) return { issues: issuesOf(read.issues, createNames) };
  return { value: rules.creationOf(read.output) };
};

const readAppend = (given: unknown, options: unknown): Answer => {
  const read = v.safeParse(appendOptions, options);
  const all = v.safeParse(someEntries, given);
  if (read.success && all.success)
    return { value: { ...read.output, entries: all.output.map(rules.entryOf) } };
  return {
    issues: [
      ...issuesOf(read.issues ?? [], optionNames),
      ...issuesOf(all.issues ?? [], entryNames, 'entries'),
    ],
  };
};

const readList = (query: unknown): Answer => {
  const read = v.safeParse(list, query);
  if (!read.success) return { issues: issuesOf(read.issues, listNames) };
  return rules.pageOf(read.output);
};

export const subject: Subject = {
  create: (input) => rules.safely(() => readCreate(input)),
  append: (given, options) => rules.safely(() => readAppend(given, options)),
  list: (query) => rules.safely(() => readList(query)),
  jsonSchemas: () =>
    [create, someEntries, list].map((of) =>
      toJsonSchema(of, { errorMode: 'ignore', typeMode: 'input' }),
    ),
};
