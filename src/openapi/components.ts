import type { InputPolicy } from '../input/policy.js';
import { sharedHeaders } from './headers.js';
import { type Paths, sharedResponses } from './operations.js';
import { parametersOf } from './parameters.js';
import { problemComponents } from './problems.js';
import { schemasOf } from './schemas.js';
import type { OpenApiDocument } from './types.js';

type Components = Omit<OpenApiDocument['components'], 'securitySchemes'>;

const reference = /"\$ref":"#\/components\/(\w+\/\w+)"/g;

const referencesIn = (value: unknown): readonly string[] =>
  [...JSON.stringify(value).matchAll(reference)].map(([, name = '']) => name);

/** What answers a request that is for no path of the document: nothing leads to it. */
const always = ['responses/MethodNotAllowed', 'responses/RouteNotFound'];

/** The components that these paths lead to. */
export const componentsFor = (paths: Paths, policy: InputPolicy): Components => {
  const all = {
    schemas: schemasOf(policy),
    parameters: parametersOf(policy),
    headers: sharedHeaders,
    responses: { ...sharedResponses, ...problemComponents() },
  };
  const named = new Map(
    Object.entries(all).flatMap(([kind, components]) =>
      Object.entries(components).map(([name, component]): [string, unknown] => [`${kind}/${name}`, component]),
    ),
  );
  // A set grows while it is walked.
  const needed = new Set([...always, ...referencesIn(paths)]);
  for (const name of needed) for (const more of referencesIn(named.get(name))) needed.add(more);
  const of = <C>(kind: keyof Components, components: Readonly<Record<string, C>>): Readonly<Record<string, C>> =>
    Object.fromEntries(Object.entries(components).filter(([name]) => needed.has(`${kind}/${name}`)));
  return {
    schemas: of('schemas', all.schemas),
    parameters: of('parameters', all.parameters),
    headers: of('headers', all.headers),
    responses: of('responses', all.responses),
  };
};
