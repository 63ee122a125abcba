/** A value of JSON (RFC 8259). */
export type JsonValue = string | number | boolean | null | readonly JsonValue[] | JsonObject;

/** An object of JSON (RFC 8259). A member that is undefined is left out. */
export interface JsonObject {
  readonly [name: string]: JsonValue | undefined;
}
