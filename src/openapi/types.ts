import type { Json, JsonSchema } from '../schema/json-schema.js';

export type { Json, JsonSchema };

type Named<T> = Readonly<Record<string, T>>;

/** A reference to a component, for example `#/components/responses/Unauthenticated`. */
export interface Reference {
  readonly $ref: string;
}

export interface Example {
  readonly summary?: string;
  readonly value: Json;
}

export interface Header {
  readonly description: string;
  readonly required: boolean;
  readonly schema: JsonSchema;
}

export interface Parameter extends Header {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly examples?: Named<Example>;
}

export interface MediaType {
  readonly schema: JsonSchema;
  readonly examples?: Named<Example | Reference>;
  /** For a stream of Server-Sent Events: the schema of the data of each event, by event name. */
  readonly 'x-server-sent-events'?: Named<JsonSchema>;
}

export interface RequestBody {
  readonly required: true;
  readonly content: Named<MediaType>;
}

export interface Response {
  readonly description: string;
  readonly headers?: Named<Header | Reference>;
  readonly content?: Named<MediaType>;
}

export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly security?: readonly Named<readonly string[]>[];
  readonly parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: RequestBody;
  readonly responses: Named<Response | Reference>;
}

export interface PathItem {
  readonly get?: Operation;
  readonly post?: Operation;
}

export interface SecurityScheme {
  readonly type: 'apiKey';
  readonly in: 'header';
  readonly name: string;
  readonly description: string;
}

export interface Server {
  readonly url: string;
  readonly description?: string | undefined;
}

/** An OpenAPI 3.1 document: plain JSON, frozen. */
export interface OpenApiDocument {
  readonly openapi: '3.1.1';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly Server[];
  readonly security: readonly Named<readonly string[]>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Named<PathItem>;
  readonly components: {
    readonly schemas: Named<JsonSchema>;
    readonly parameters: Named<Parameter>;
    readonly headers: Named<Header>;
    readonly responses: Named<Response>;
    readonly examples: Named<Example>;
    readonly securitySchemes: Named<SecurityScheme>;
  };
}
