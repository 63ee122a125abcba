import * as z from 'zod';
import type { InputIssue } from '../../src/session/errors.js';
import * as rules from './rules.js';
import type { Answer, Subject } from './subject.js';

const { limits } = rules;

const name = (most: number) => {
  const rule = `must have 1 to ${most} characters`;
  return z.string('must be a string').min(1, rule).max(most, rule);
};

const text = (most: number) =>
  z
    .string('must be a string')
    .refine(
      (given) => !rules.exceedsBytes(given, most),
      `must have at most ${most} bytes of UTF-8`,
    );

const number = (least: number, most: number) => {
  const rule = `must be a number from ${least} to ${most}`;
  return z.number(rule).min(least, rule).max(most, rule);
};

const whole = (least: number) => {
  const rule = `must be a whole number, at least ${least}`;
  return z.int(rule).min(least, rule);
};

const flag = z.boolean('must be true or false');

/** A field that counts as `absent` if it is missing or null. */
const orNull = <T extends z.ZodType, const D>(of: T, absent: D) =>
  of.nullish().transform((given) => given ?? absent);

const by = <T>(read: (value: unknown, tell: (rule: string) => void) => T) =>
  z
    .unknown()
    .transform(
      (input, context): T =>
        read(input, (message) => context.issues.push({ code: 'custom', message, input })),
    );

const time = by(rules.readTime);

const labels = z
  .record(z.string().regex(rules.LABEL_NAME), name(rules.LABEL_VALUE_LENGTH), 'must be an object')
  .refine(
    (given) => Object.keys(given).length <= rules.MAX_LABELS,
    `must be at most ${rules.MAX_LABELS}`,
  );

const operationId = name(rules.KEY_LENGTH).refine(
  (id) => !rules.UNSTORABLE.test(id),
  'must be well-formed Unicode',
);

const entry = z.strictObject({
  role: name(rules.ROLE_LENGTH),
  content: text(limits.contentBytes),
  timestamp: time.nullish(),
  id: name(rules.ENTRY_ID_LENGTH).nullish(),
  data: by(rules.readJson).nullish(),
  position: whole(0).nullish(),
});

const entries = (least: number) => {
  const rule = `must be an array of ${least} to ${limits.entriesPerAppend} entries`;
  return z.array(entry, rule).min(least, rule).max(limits.entriesPerAppend, rule);
};

const create = z.strictObject({
  id: name(rules.KEY_LENGTH).optional(),
  face: orNull(name(rules.NAME_LENGTH), ''),
  profile: orNull(name(rules.NAME_LENGTH), ''),
  context: orNull(text(limits.textBytes), ''),
  behavior: orNull(text(limits.textBytes), ''),
  timeLimit: orNull(number(0, limits.timeLimit), 0),
  labels: labels.transform(rules.labelsOf).nullish(),
  metadata: by(rules.readMetadata).nullish(),
  start: orNull(flag, false),
  wake: orNull(flag, false),
  from: z.strictObject({ id: name(rules.KEY_LENGTH), position: whole(0).nullish() }).nullish(),
  entries: orNull(entries(0), []),
  idempotencyKey: operationId.optional(),
  historyLimit: whole(0).optional(),
});

const someEntries = entries(1);

const appendOptions = z.strictObject({
  operationId: operationId.optional(),
  fencingToken: whole(1).optional(),
  ifPosition: whole(0).optional(),
  wake: flag.optional().transform((given) => given ?? false),
});

const status = z.enum(rules.STATUSES);

const list = z.strictObject({
  limit: whole(1)
    .optional()
    .transform((given) => Math.min(given ?? 10, rules.PAGE_LIMIT)),
  page: whole(1).optional(),
  order: z.enum(rules.ORDERS).optional(),
  status: z.union([status.transform((one) => [one]), z.array(status).min(1)]).optional(),
  labels: labels
    .refine((given) => Object.keys(given).length > 0)
    .transform(rules.labelsOf)
    .optional(),
  createdAfter: time.optional(),
  createdBefore: time.optional(),
  cursor: z.string().optional(),
  historyLimit: whole(0).optional(),
});

const createNames = Object.keys(create.shape);
const optionNames = Object.keys(appendOptions.shape);
const entryNames = Object.keys(entry.shape);
const listNames = Object.keys(list.shape);

const issuesOf = (
  error: z.ZodError | undefined,
  names: readonly string[],
  root = '',
): readonly InputIssue[] =>
  (error?.issues ?? []).slice(0, 20).flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys')
      return [{ path: root + rules.pathOf(issue.path) || 'input', message: issue.message }];
    return issue.keys.map((key) => ({
      path: root + rules.pathOf([...issue.path, key]),
      message: rules.unknownRule(key, names),
    }));
  });

const readCreate = (input: unknown): Answer => {
  const read = create.safeParse(input);
  if (!read.success) return { issues: issuesOf(read.error, createNames) };
  return { value: rules.creationOf(read.data) };
};

const readAppend = (given: unknown, options: unknown): Answer => {
  const read = appendOptions.safeParse(options);
  const all = someEntries.safeParse(given);
  if (read.success && all.success)
    return { value: { ...read.data, entries: all.data.map(rules.entryOf) } };
  return {
    issues: [...issuesOf(read.error, optionNames), ...issuesOf(all.error, entryNames, 'entries')],
  };
};

const readList = (query: unknown): Answer => {
  const read = list.safeParse(query);
  if (!read.success) return { issues: issuesOf(read.error, listNames) };
  return rules.pageOf(read.data);
};

export const subject: Subject = {
  create: (input) => rules.safely(() => readCreate(input)),
  append: (given, options) => rules.safely(() => readAppend(given, options)),
  list: (query) => rules.safely(() => readList(query)),
  jsonSchemas: () =>
    [create, someEntries, list].map((of) =>
      z.toJSONSchema(of, { io: 'input', unrepresentable: 'any' }),
    ),
};
