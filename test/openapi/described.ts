import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type {
  Header,
  Json,
  JsonSchema,
  MediaType,
  OpenApiDocument,
  Operation,
  Parameter,
  Reference,
  Response,
} from '../../src/openapi/index.js';
import type { Outgoing, Reply } from '../http/client.js';
import type { Frame } from '../http/event-reader.js';

const placeholder = /\{\w+\}/;

const methods = ['get', 'post'] as const;

/** What a request asks for, as the document has it. */
interface Found {
  readonly operation: Operation | undefined;
  /** What stands for the session's id, still encoded. */
  readonly id: string | undefined;
  readonly query: URLSearchParams;
}

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
};

const headerOf = (headers: Outgoing['headers'], name: string): string | undefined => {
  const [, value] =
    Object.entries(headers ?? {}).find(([each]) => each.toLowerCase() === name.toLowerCase()) ?? [];
  return value === undefined || typeof value === 'string' ? value : value.join(', ');
};

/** A text as the type that its schema wants. */
const typed = (text: string, { type }: JsonSchema): unknown =>
  type === 'integer' && /^[1-9]\d*$|^0$/.test(text) ? Number(text) : text;

/** Whether labels of a list have one name twice, or its order and its cursor do not go together. */
const isMixed = (query: URLSearchParams): boolean => {
  const names = query.getAll('labels').map((label) => label.split(':')[0]);
  const isByUpdate = query.get('order') === 'updated';
  const isCursorOfUpdate = query.get('cursor')?.startsWith('~') ?? isByUpdate;
  return new Set(names).size < names.length || isByUpdate !== isCursorOfUpdate;
};

/** Bounds that JSON JsonSchema cannot say, of which an error speaks. */
const unsayable =
  /bytes of UTF-8$|characters$|is not (?:a position|the id of a message) in this history$|is required with a position$|only one of them$|: send it as a string$|finite numbers$|is unknown(?: \(did you mean \w+\?\))?$/;

/** A document, and what it says of requests and replies. */
export class Described {
  readonly document: OpenApiDocument;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true });
  readonly #compiled = new Map<JsonSchema, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    this.document = document;
    formats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'document', components: document.components });
  }

  /** Where a value breaks a schema of the document; empty if it fits. */
  against(schema: JsonSchema, value: unknown): string | undefined {
    const known = this.#compiled.get(schema) ?? this.#ajv.compile(resolved(schema));
    this.#compiled.set(schema, known);
    return known(value) ? undefined : this.#ajv.errorsText(known.errors);
  }

  /** What a reference leads to, or the thing itself. */
  parametersOf({ parameters = [] }: Operation): readonly Parameter[] {
    return parameters.map((each) => this.#follow(each, this.document.components.parameters));
  }

  /** The same of the answers of an operation, by their status. */
  responsesOf({ responses }: Operation): Readonly<Record<string, Response>> {
    const { responses: components } = this.document.components;
    return Object.fromEntries(
      Object.entries(responses).map(([status, each]) => [status, this.#follow(each, components)]),
    );
  }

  /** The values of examples, by their names. */
  examplesOf({ examples = {} }: Pick<MediaType, 'examples'>): readonly (readonly [string, Json])[] {
    const { examples: components } = this.document.components;
    return Object.entries(examples).map(([name, each]) => [
      name,
      this.#follow(each, components).value,
    ]);
  }

  /** The statuses of an operation's errors, with the codes and the examples of each. */
  problemsOf(operation: Operation) {
    return Object.entries(this.responsesOf(operation)).flatMap(([status, { content = {} }]) => {
      const { schema, ...media } = content['application/json'] ?? {};
      const codes = schema?.allOf?.flatMap(({ properties }) => properties?.['code']?.enum ?? []);
      if (codes === undefined) return [];
      return [[Number(status), codes.map(String), this.examplesOf(media)] as const];
    });
  }

  headersOf({ headers = {} }: Response): readonly (readonly [string, Header])[] {
    const { headers: components } = this.document.components;
    return Object.entries(headers).map(([name, each]) => [name, this.#follow(each, components)]);
  }

  #follow<T extends object>(given: T | Reference, components: Readonly<Record<string, T>>): T {
    if (!('$ref' in given)) return given;
    const component = components[given.$ref.split('/').at(-1) ?? ''];
    if (component === undefined) throw new Error(`${given.$ref} leads nowhere`);
    return component;
  }

  find(method: string, url: string): Found | undefined {
    const [path = '', ...rest] = url.split('?');
    for (const [template, item] of Object.entries(this.document.paths)) {
      const [before = '', behind] = template.split(placeholder);
      const id =
        behind === undefined ? undefined : path.slice(before.length, path.length - behind.length);
      const isThis =
        behind === undefined
          ? path === template
          : path.startsWith(before) && path.endsWith(behind) && /^[^/]+$/.test(id ?? '');
      // HEAD is answered as GET is, without a body.
      const name = methods.find((each) => each === method.toLowerCase().replace('head', 'get'));
      if (isThis)
        return { operation: name && item[name], id, query: new URLSearchParams(rest.join('?')) };
    }
    return undefined;
  }

  /** How a response differs from the document. */
  faults(url: string, sent: Outgoing, reply: Reply): readonly string[] {
    const { method = 'GET' } = sent;
    const found = this.find(method, url);
    if (found === undefined) return [];
    const { operation } = found;
    const response =
      (operation && this.responsesOf(operation)[reply.status]) ?? this.#otherwise(reply.status);
    if (response === undefined) return [`${reply.status} is not described`];
    const shape = this.#replyFaults(response, method, reply);
    return operation === undefined
      ? shape
      : [...shape, ...this.#requestFaults(operation, found, sent, reply)];
  }

  /** What is wrong with an event of a stream. */
  frameFault({ event = '', data }: Frame): string | undefined {
    const watch = this.document.paths['/session/{session_id}/events']?.get;
    const stream = watch && this.responsesOf(watch)[200]?.content?.['text/event-stream'];
    const schema = stream?.['x-server-sent-events']?.[event];
    return schema === undefined ? `${event} is not described` : this.against(schema, data);
  }

  #otherwise(status: number): Response | undefined {
    const { responses } = this.document.components;
    if (status === 405) return responses['MethodNotAllowed'];
    // Without a key, a client cannot learn which methods exist.
    return status === 401 ? responses['Unauthenticated'] : undefined;
  }

  #replyFaults(response: Response, method: string, reply: Reply): readonly string[] {
    const { content } = response;
    const faults = this.headersOf(response).flatMap(([name, { required, schema }]) => {
      const value = reply.headers[name.toLowerCase()];
      if (value === undefined) return required ? [`${name} is missing`] : [];
      const fault = this.against(schema, typed(String(value), schema));
      return fault === undefined ? [] : [`${name}: ${fault}`];
    });
    if (content === undefined || method === 'HEAD')
      return reply.text === '' ? faults : [...faults, 'has a body'];
    const media = content[String(reply.headers['content-type'])];
    if (media === undefined)
      return [...faults, `${reply.headers['content-type']} is not described`];
    const fault = this.against(media.schema, reply.json());
    return fault === undefined ? faults : [...faults, `body: ${fault}`];
  }

  /** Expects the handler to reject a request if and only if the document does not allow it. */
  #requestFaults(
    operation: Operation,
    found: Found,
    sent: Outgoing,
    reply: Reply,
  ): readonly string[] {
    const objection = this.objection(operation, found, sent);
    if (objection === 'unknown') return [];
    if (objection !== undefined)
      return reply.status >= 400 ? [] : [`was taken in spite of ${objection}`];
    if (reply.status !== 400) return [];
    const errors: readonly { readonly message: string }[] = Object(reply.json()).errors ?? [];
    return errors.every(({ message }) => unsayable.test(message))
      ? []
      : [`was refused: ${reply.text.slice(0, 500)}`];
  }

  /**
   * How a request differs from the document, except for rules that a JSON Schema cannot express.
   */
  objection(operation: Operation, found: Found, { headers, body }: Outgoing) {
    const parameters = this.parametersOf(operation);
    const { requestBody } = operation;
    const { query, id } = found;
    const sentAs = ({
      in: place,
      name,
      schema,
    }: Parameter): string | readonly string[] | undefined => {
      if (place === 'path') return decoded(id ?? '');
      if (schema.type === 'array') return query.has(name) ? query.getAll(name) : undefined;
      return place === 'query' ? (query.get(name) ?? undefined) : headerOf(headers, name);
    };
    const isBeyond =
      parameters.some(
        ({ in: place, name, schema }) =>
          place === 'query' && schema.type !== 'array' && query.getAll(name).length > 1,
      ) ||
      (query.has('page') && query.has('cursor')) ||
      isMixed(query) ||
      (operation.operationId === 'readHistory' &&
        (query.has('before') || query.has('after') !== query.has('limit'))) ||
      (id !== undefined && decoded(id) === undefined);
    if (isBeyond) return 'unknown';
    for (const parameter of parameters) {
      const value = sentAs(parameter);
      const read = typeof value === 'string' ? typed(value, parameter.schema) : value;
      const fault = read === undefined ? undefined : this.against(parameter.schema, read);
      if (fault !== undefined) return `${parameter.name}: ${fault}`;
    }
    const schema = requestBody?.content['application/json']?.schema;
    if (schema === undefined) return undefined;
    if (typeof body !== 'string') return 'unknown';
    const value = parsed(body);
    return value === undefined ? 'unknown' : this.against(schema, value);
  }
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** A schema that stands by itself, with its references into the document. */
const resolved = (schema: JsonSchema): object =>
  JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/'));
