import { err, ok, type Result } from 'neverthrow';
import { IssueList } from '../schema/issue-list.js';
import { cutText } from '../session/cut-text.js';
import { type Misconfigured, misconfigured } from '../session/errors.js';
import { isFields } from '../session/fields.js';
import { copyJson } from '../session/json.js';
import { plainText } from '../session/plain-text.js';
import type { JsonValue } from '../session/session.js';
import type { HostSchema } from './host-schemas.js';
import { jsonText, MAX_DEPTH } from './json-values.js';

/** Maximum characters of a message of a schema, and of the path in it. */
const MESSAGE_LENGTH = 512;
const PATH_LENGTH = 256;

const told = (text: string, length: number): string => plainText(cutText(text, length));

/** A key in a path; empty for what is no key. */
const step = (segment: unknown): string => {
  const key = isFields(segment) ? segment['key'] : segment;
  if (typeof key === 'number') return `[${key}]`;
  if (typeof key === 'string' || typeof key === 'symbol') return `.${String(key)}`;
  return '';
};

const pathIn = (path: unknown): string => {
  if (!Array.isArray(path)) return '';
  let text = '';
  for (let at = 0; at < path.length && at < MAX_DEPTH; at += 1) text += step(path[at]);
  return told(text, PATH_LENGTH);
};

/**
 * Reports the issues of a schema, as many as the list takes. Returns whether they are issues as the
 * standard defines them.
 */
const reportAll = (issues: IssueList, path: string, found: unknown): boolean => {
  if (!Array.isArray(found) || found.length === 0) return false;
  for (let at = 0; at < found.length && !issues.isFull; at += 1) {
    const issue: unknown = found[at];
    const message = isFields(issue) && issue['message'];
    if (!isFields(issue) || typeof message !== 'string') return false;
    // A message of several lines would break those of a log.
    const line = message.slice(0, 2 * MESSAGE_LENGTH).replace(/\s+/g, ' ');
    issues.check(false, path + pathIn(issue['path']), told(line, MESSAGE_LENGTH));
  }
  return true;
};

const textOf = (name: string, output: unknown): Result<string | undefined, Misconfigured> => {
  if (output === undefined) return ok(undefined);
  const issues = new IssueList(1);
  const text = jsonText.read(issues, '', output);
  if (text !== undefined) return ok(text);
  return err(misconfigured(`the output of ${name} ${issues.found[0]?.message}`, issues.cause));
};

/**
 * What a schema of the host makes of a copy of `value`, as JSON; undefined if that is nothing, or
 * if it has issues, which are reported. `name` is the option that contains the schema.
 */
export const applySchema = async (
  name: string,
  { standard }: HostSchema,
  issues: IssueList,
  path: string,
  value: JsonValue,
): Promise<Result<string | undefined, Misconfigured>> => {
  try {
    const result: unknown = await standard.validate(copyJson(value));
    if (typeof result === 'object' && result !== null) {
      const found: unknown = Reflect.get(result, 'issues');
      if (!found && 'value' in result) return textOf(name, result.value);
      if (reportAll(issues, path, found)) return ok(undefined);
    }
    return err(misconfigured(`${name} returned neither a value nor issues`));
  } catch (cause) {
    return err(misconfigured(`${name} threw an exception`, cause));
  }
};
