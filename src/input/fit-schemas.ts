import { err, ok, type Result } from 'neverthrow';
import { IssueList } from '../schema/issue-list.js';
import {
  type InvalidInput,
  invalidInput,
  type Misconfigured,
  misconfigured,
} from '../session/errors.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import type { JsonObject, JsonValue } from '../session/json.js';
import { deepFreeze } from '../session/json.js';
import { applySchema } from './apply-schema.js';
import { dataRule } from './entries-input.js';
import type { HostSchema, HostSchemas } from './host-schemas.js';
import type { InputPolicy } from './input-policy.js';
import { bytesRule, isObject, valueOfJson } from './json-values.js';

interface WithData {
  readonly content: string;
  readonly data?: JsonValue | undefined;
}

export interface Described {
  readonly metadata?: JsonObject | undefined;
  readonly entries?: readonly WithData[];
  readonly history?: readonly WithData[];
}

/** Limits, which hold for the output of a schema too: it may add to its input. */
type Limits = Pick<InputPolicy['limits'], 'metadataBytes' | 'contentBytes'>;

type Read<T> = Promise<Result<T, Misconfigured>>;

const readMetadata = async (
  schema: HostSchema,
  issues: IssueList,
  // A session without metadata is read as one with `{}`.
  given: JsonObject = {},
  most: number,
): Read<JsonObject> => {
  const name = 'schemas.metadata';
  const text = await applySchema(name, schema, issues, 'metadata', given);
  if (text.isErr()) return err(text.error);
  const { value: json = '{}' } = text;
  issues.check(!exceedsBytes(json, most), 'metadata', bytesRule(most));
  const metadata = valueOfJson(json);
  if (isObject(metadata)) return ok(deepFreeze(metadata));
  return err(misconfigured(`the output of ${name} must be an object`));
};

const readEntries = async <E extends WithData>(
  schema: HostSchema,
  issues: IssueList,
  path: string,
  given: readonly E[],
  most: number,
): Read<readonly E[]> => {
  const entries = [...given];
  for (const [at, entry] of given.entries()) {
    if (entry.data === undefined || issues.isFull) continue;
    const where = `${path}[${at}].data`;
    const text = await applySchema('schemas.data', schema, issues, where, entry.data);
    if (text.isErr()) return err(text.error);
    const { value: json = 'null' } = text;
    issues.check(!exceedsBytes(json + entry.content, most), where, dataRule(most));
    entries[at] = { ...entry, data: valueOfJson(json) ?? undefined };
  }
  return ok(entries);
};

/** A value with the metadata and the data that the host's schemas make of its own. */
export const fitSchemas = async <V extends Described>(
  { metadata: ofMetadata, data: ofData }: HostSchemas,
  { metadataBytes, contentBytes }: Limits,
  value: V,
): Promise<Result<V, InvalidInput | Misconfigured>> => {
  const issues = new IssueList();
  let fitted = value;
  if (ofMetadata !== undefined && 'metadata' in value) {
    const metadata = await readMetadata(ofMetadata, issues, value.metadata, metadataBytes);
    if (metadata.isErr()) return err(metadata.error);
    fitted = { ...fitted, metadata: metadata.value };
  }
  for (const path of ['entries', 'history'] as const) {
    const { [path]: given } = value;
    if (ofData === undefined || given === undefined) continue;
    const entries = await readEntries(ofData, issues, path, given, contentBytes);
    if (entries.isErr()) return err(entries.error);
    fitted = { ...fitted, [path]: entries.value };
  }
  return issues.found.length === 0 ? ok(fitted) : err(invalidInput(issues.found));
};
