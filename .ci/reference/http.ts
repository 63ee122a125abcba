// The HTTP reference, from the OpenAPI document of all routes.
import { commandRoutes, eventRoutes, historyRoutes, messageRoutes } from 'colloquy/http';
import { openApiDocument } from 'colloquy/openapi';
import { inCell } from './in-cell.js';

type Fields = Readonly<Record<string, unknown>>;

const document = openApiDocument({
  routes: [commandRoutes(), historyRoutes(), messageRoutes(), eventRoutes()],
});

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;
const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** Resolves a `$ref`, or returns the value itself. */
const resolve = (value: unknown): Fields => {
  const fields = fieldsOf(value);
  const path = textOf(fields['$ref']);
  if (path === '') return fields;
  const steps = path.split('/').slice(1);
  return fieldsOf(steps.reduce((part: unknown, step) => fieldsOf(part)[step], document));
};

const anchorOf = (name: string): string => name.toLowerCase();

/** A type in the notation of the reference: `string`, `integer`, `"a" | "b"`, `array of ...`. */
const typeOf = (schema: unknown): string => {
  const name = /#\/components\/schemas\/(\w+)$/.exec(textOf(fieldsOf(schema)['$ref']))?.[1];
  if (name !== undefined) return `[${name}](#${anchorOf(name)})`;
  const { type, items, enum: values, oneOf, anyOf, const: only } = fieldsOf(schema);
  if (only !== undefined) return `\`${JSON.stringify(only)}\``;
  if (Array.isArray(values))
    return values.map((value) => `\`${JSON.stringify(value)}\``).join(', ');
  const choices = listOf(oneOf ?? anyOf);
  if (choices.length > 0) return choices.map(typeOf).join(' or ');
  if (type === 'array') return `array of ${typeOf(items)}`;
  if (Array.isArray(type)) return type.map(String).join(' or ');
  return textOf(type) || 'any';
};

const row = (...cells: readonly string[]): string => `| ${cells.map(inCell).join(' | ')} |`;

const boundsOf = (schema: unknown): string => {
  const {
    minimum,
    maximum,
    minLength,
    maxLength,
    minItems,
    maxItems,
    default: given,
  } = resolve(schema);
  const low = minimum ?? minLength ?? minItems;
  const high = maximum ?? maxLength ?? maxItems;
  const range = [low !== undefined && `from ${low}`, high !== undefined && `to ${high}`];
  const words = range.filter((word) => word !== false);
  if (given !== undefined) words.push(`default ${JSON.stringify(given)}`);
  return words.join(', ');
};

const fieldTable = (schema: unknown): string => {
  const { properties, required } = resolve(schema);
  const needed = new Set(listOf(required));
  const rows = Object.entries(fieldsOf(properties)).map(([name, property]) => {
    const text =
      textOf(fieldsOf(property)['description']) || textOf(resolve(property)['description']);
    const type = [typeOf(property), boundsOf(property)].filter((part) => part !== '').join('; ');
    return row(`\`${name}\`${needed.has(name) ? '' : '?'}`, type, text);
  });
  return rows.length === 0 ? '' : ['| Field | Type | |', '|---|---|---|', ...rows].join('\n');
};

const parameterTable = (parameters: readonly unknown[]): string => {
  const rows = parameters.map(resolve).map(({ name, in: place, schema, description }) => {
    const type = [typeOf(schema), boundsOf(schema)].filter((part) => part !== '').join('; ');
    return row(`\`${textOf(name)}\``, textOf(place), type, textOf(description));
  });
  if (rows.length === 0) return '';
  return ['| Parameter | In | Type | |', '|---|---|---|---|', ...rows].join('\n');
};

const schemaOfBody = (body: unknown): unknown =>
  fieldsOf(fieldsOf(fieldsOf(body)['content'])['application/json'])['schema'];

const answersOf = (responses: Fields): string =>
  Object.entries(responses)
    .map(([status, response]) => {
      const { description, content } = resolve(response);
      const schema = schemaOfBody({ content });
      const body = schema === undefined || status >= '400' ? '' : `: ${typeOf(schema)}`;
      return `- **${status}**${body} ${inCell(textOf(description))}`;
    })
    .join('\n');

const operationText = (path: string, method: string, operation: Fields): string => {
  const { summary, description, parameters, requestBody, responses } = operation;
  const body = schemaOfBody(resolve(requestBody));
  const parts = [
    `### ${method.toUpperCase()} ${path}`,
    textOf(summary) && `${textOf(summary)}.`,
    textOf(description),
    parameterTable(listOf(parameters)),
    body === undefined ? '' : `Body: ${typeOf(body)}`,
    answersOf(fieldsOf(responses)),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
};

const operations = Object.entries(fieldsOf(document.paths)).flatMap(([path, methods]) =>
  Object.entries(fieldsOf(methods)).flatMap(([method, operation]) =>
    method === 'head' ? [] : [{ path, method, operation: fieldsOf(operation) }],
  ),
);

const tagOf = ({ operation }: { operation: Fields }): string =>
  textOf(listOf(operation['tags'])[0]);

export const httpReference = (): string => {
  const tags = [...new Set(operations.map(tagOf))];
  const groups = tags.map((tag) => {
    const texts = operations
      .filter((each) => tagOf(each) === tag)
      .map(({ path, method, operation }) => operationText(path, method, operation));
    return [`## ${tag}`, ...texts].join('\n\n');
  });
  const schemas = Object.entries(fieldsOf(document.components?.schemas)).flatMap(
    ([name, schema]) => {
      const table = fieldTable(schema);
      const text = textOf(fieldsOf(schema)['description']);
      const type = table === '' ? typeOf(schema) : '';
      return [`### ${name}`, text, type, table].filter((part) => part !== '').join('\n\n');
    },
  );
  const start =
    'Every operation, from the same definitions as the router and the OpenAPI document. [HTTP server and client](../http.md) explains how to serve and call them, and the [contract](http-contract.md) shows bodies of the first three. Every request needs `X-API-KEY`, and every path with GET has HEAD. With `Prefer: handling=strict` (RFC 7240), unknown body fields and query parameters are refused by name, with the nearest known name; otherwise they are ignored, unless a parameter is a near miss. Responses are never cached, so they need no `Vary`. The header is not safelisted by CORS: for cross-origin pages, allow it.';
  return `${['# HTTP reference', start, ...groups, '## Bodies', ...schemas].join('\n\n')}\n`;
};
