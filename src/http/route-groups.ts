import type { AnyOperation } from '../endpoints/endpoint.js';
import { optional, type Schema, typed } from '../schema/schema.js';
import { isFields } from '../session/fields.js';

export interface AnyRoute {
  readonly operation: Pick<AnyOperation, 'name' | 'path'>;
}

const isRoute = (value: unknown): value is AnyRoute => {
  const { operation, answer } = isFields(value) ? value : {};
  if (!isFields(operation) || typeof operation['path'] !== 'string') return false;
  if (operation['method'] !== 'GET' && operation['method'] !== 'POST') return false;
  return typeof answer === 'function' || isFields(operation['calls']);
};

const areGroups = (value: unknown): value is readonly (readonly AnyRoute[])[] =>
  Array.isArray(value) && value.every((group) => Array.isArray(group) && group.every(isRoute));

const RULE = 'must be an array of groups of routes, such as commandRoutes()';

export const routeGroups: Schema<readonly (readonly AnyRoute[])[]> = optional(
  typed(areGroups, RULE, []),
  [],
);
