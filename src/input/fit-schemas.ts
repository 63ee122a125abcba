import { err, ok, type Result } from 'neverthrow';
import { IssueList } from '../schema/issue-list.js';
import { deepFreeze } from '../session/deep-freeze.js';
import {
  type InvalidInput,
  invalidInput,
  type Misconfigured,
  misconfigured,
} from '../session/errors.js';
import { exceedsBytes } from '../session/exceeds-bytes.js';
import type { JsonObject, JsonValue } from '../session/session.js';
import { applySchema } from './apply-schema.js';
import { dataRule, type GivenEntry } from './entries-input.js';
import type { HostSchemas } from './host-schemas.js';
import type { InputPolicy } from './input-policy.js';
import { bytesRule, isObject, valueOfJson } from './json-values.js';

/*
 * What the host's schemas make of a checked input. The limits hold for it again, because a schema
 * may add to its input.
 */

type Fitted<T> = Promise<Result<T, InvalidInput | Misconfigured>>;

type Limits = Pick<InputPolicy['limits'], 'metadataBytes' | 'contentBytes'>;

/** An entry, as far as its data is concerned. */
interface WithData {
  readonly content: string;
  readonly data?: JsonValue | undefined;
}

/** Reads values by the schemas of a host, and collects what does not fit. */
export class SchemaReader {
  readonly #schemas: HostSchemas;
  readonly #limits: Limits;
  readonly #issues = new IssueList();

  constructor(schemas: HostSchemas, limits: Limits) {
    this.#schemas = schemas;
    this.#limits = limits;
  }

  /** The metadata of a session, frozen; undefined for none. */
  async metadata(
    given: JsonObject | undefined,
  ): Promise<Result<JsonObject | undefined, Misconfigured>> {
    const { metadata: schema } = this.#schemas;
    if (schema === undefined) return ok(given);
    // A session without metadata is read as one with `{}`.
    const name = 'schemas.metadata';
    const text = await applySchema(name, schema, this.#issues, 'metadata', given ?? {});
    if (text.isErr()) return err(text.error);
    if (text.value === undefined) return ok(undefined);
    const { metadataBytes: most } = this.#limits;
    this.#issues.check(!exceedsBytes(text.value, most), 'metadata', bytesRule(most));
    const metadata = valueOfJson(text.value);
    if (!isObject(metadata)) return err(misconfigured(`the output of ${name} must be an object`));
    return ok(Object.keys(metadata).length > 0 ? deepFreeze(metadata) : undefined);
  }

  /** Entries with their data; `path` leads to them. */
  async entries<E extends WithData>(
    path: string,
    given: readonly E[],
  ): Promise<Result<readonly E[], Misconfigured>> {
    const { data: schema } = this.#schemas;
    if (schema === undefined) return ok(given);
    const entries: E[] = [];
    for (const [at, entry] of given.entries()) {
      const { data, content } = entry;
      if (data === undefined || this.#issues.isFull) {
        entries.push(entry);
        continue;
      }
      const where = `${path}[${at}].data`;
      const text = await applySchema('schemas.data', schema, this.#issues, where, data);
      if (text.isErr()) return err(text.error);
      const { value: json = 'null' } = text;
      const { contentBytes: most } = this.#limits;
      this.#issues.check(!exceedsBytes(json + content, most), where, dataRule(most));
      entries.push({ ...entry, data: valueOfJson(json) ?? undefined });
    }
    return ok(entries);
  }

  /** The value that was read, or what does not fit. */
  end<T>(value: T): Result<T, InvalidInput> {
    const { found } = this.#issues;
    return found.length === 0 ? ok(value) : err(invalidInput(found));
  }
}

/** An object with the entries that the host's schema makes of its own. */
export const fitEntries = async <I extends { readonly entries: readonly WithData[] }>(
  schemas: HostSchemas,
  limits: Limits,
  input: I,
): Fitted<I> => {
  const reader = new SchemaReader(schemas, limits);
  const entries = await reader.entries('entries', input.entries);
  if (entries.isErr()) return err(entries.error);
  return reader.end({ ...input, entries: entries.value });
};

/** The input of a create, with the metadata and entries that the host's schemas make of its own. */
export const fitCreation = async <
  C extends {
    readonly metadata: JsonObject | undefined;
    readonly entries: readonly GivenEntry[];
  },
>(
  schemas: HostSchemas,
  limits: Limits,
  creation: C,
): Fitted<C> => {
  const reader = new SchemaReader(schemas, limits);
  const metadata = await reader.metadata(creation.metadata);
  if (metadata.isErr()) return err(metadata.error);
  const entries = await reader.entries('entries', creation.entries);
  if (entries.isErr()) return err(entries.error);
  return reader.end({ ...creation, metadata: metadata.value, entries: entries.value });
};

/** The metadata that the host's schema makes of that of an update, frozen; undefined for none. */
export const fitMetadata = async (
  schemas: HostSchemas,
  limits: Limits,
  given: JsonObject | undefined,
): Fitted<JsonObject | undefined> => {
  const reader = new SchemaReader(schemas, limits);
  const metadata = await reader.metadata(given);
  return metadata.andThen((fitted) => reader.end(fitted));
};
