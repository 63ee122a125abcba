import { DESCRIPTION_PATH } from '../http/description.js';
import type { IssueList } from '../input/issues.js';
import { type GivenPolicy, type InputPolicy, readPolicy } from '../input/policy.js';
import { readOptions } from '../input/read-options.js';
import { isFields, readName } from '../input/values.js';
import { defaultLimits } from '../limits.js';
import { componentsFor } from './components.js';
import { commandPaths, documentPath, eventPaths, sessionPaths } from './operations.js';
import type { OpenApiDocument, Server } from './types.js';

/** What is described, and how. All of it has a default. */
export interface OpenApiOptions {
  /** The service whose limits and lists of names the document tells. Without it, those given below. */
  readonly sessions?: { readonly policy?: InputPolicy };
  /** Where the service is not at hand: what it is given as `limits`, `faces` and `profiles`. */
  readonly limits?: GivenPolicy['limits'];
  readonly faces?: GivenPolicy['faces'];
  readonly profiles?: GivenPolicy['profiles'];
  /** Whether the handler serves the commands. Default: false. */
  readonly commands?: boolean;
  /** Whether the handler serves the events. Default: false. */
  readonly events?: boolean;
  /** Whether the handler serves the document itself, and whether without a key. Default: false. */
  readonly openapi?: boolean | { readonly public?: boolean };
  /** Bytes in a request's body. Default: not told. */
  readonly maxBodyBytes?: number;
  /** What the paths begin with, such as `/api`. Default: nothing. */
  readonly prefix?: string;
  /** Where the interface is. Default: at the prefix, on the host that the document comes from. */
  readonly servers?: readonly Server[];
  /** Default: `Sessions`. */
  readonly title?: string;
  /** The version of the host's interface. Default: `1.0.0`. */
  readonly version?: string;
}

const MOST_CHARACTERS = 256;

const readSwitch = (issues: IssueList, path: string, value: unknown): boolean => {
  issues.check(value === undefined || typeof value === 'boolean', path, 'must be true or false');
  return value === true;
};

const readServers = (issues: IssueList, servers: unknown, prefix: string): readonly Server[] => {
  if (servers === undefined) return [{ url: prefix === '' ? '/' : prefix }];
  const fits = Array.isArray(servers) && servers.length > 0 && servers.every((each) => typeof each?.url === 'string');
  issues.check(fits, 'servers', 'must be an array of at least one { url, description? }');
  if (!fits) return [];
  return servers.map(
    ({ url, description }): Server => ({
      url,
      ...(typeof description === 'string' ? { description } : {}),
    }),
  );
};

const describeSurface = (maxBodyBytes: number | undefined): string =>
  [
    'Interaction sessions. Every error has the form of RFC 9457, with a `code`.',
    'Bodies are sent as application/json, in UTF-8 and uncompressed',
    maxBodyBytes === undefined ? '' : `, in at most ${maxBodyBytes} bytes`,
    '. Where a bound is in bytes, a schema says only as much of it as characters can.',
  ]
    .join(' ')
    .replaceAll(' ,', ',')
    .replaceAll(/ +\./g, '.');

const tags = {
  Sessions: 'Create, list and get.',
  Commands: 'The state machine, the history, and deletion.',
  Events: 'Changes, as they happen.',
  Description: 'The interface, described.',
} as const;

const frozen = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const each of Object.values(value)) frozen(each);
  }
  return value;
};

/** What the service knows, but for what is given besides. */
const policyOf = (issues: IssueList, options: OpenApiOptions): InputPolicy => {
  const { limits, faces, profiles } = readPolicy(issues, options);
  const known = options.sessions?.policy;
  return {
    limits: options.limits === undefined && known !== undefined ? known.limits : limits,
    faces: faces ?? known?.faces,
    profiles: profiles ?? known?.profiles,
  };
};

const compose = (issues: IssueList, options: OpenApiOptions): OpenApiDocument => {
  const policy = policyOf(issues, options);
  const { openapi, maxBodyBytes, prefix = '', servers, title = 'Sessions', version = '1.0.0' } = options;
  const commands = readSwitch(issues, 'commands', options.commands);
  const events = readSwitch(issues, 'events', options.events);
  issues.check(
    openapi === undefined || typeof openapi === 'boolean' || isFields(openapi),
    'openapi',
    'must be true, false, or { public }',
  );
  const isPublic = typeof openapi === 'object' && readSwitch(issues, 'openapi.public', openapi.public);
  const fits = maxBodyBytes === undefined || (Number.isSafeInteger(maxBodyBytes) && maxBodyBytes >= 1);
  issues.check(fits, 'maxBodyBytes', 'must be a whole number, at least 1');
  issues.check(typeof prefix === 'string', 'prefix', 'must be a string');
  const paths = {
    ...sessionPaths(policy),
    ...(events ? eventPaths() : {}),
    ...(commands ? commandPaths() : {}),
    ...(openapi ? documentPath(DESCRIPTION_PATH, isPublic) : {}),
  };
  const shown = { Sessions: true, Commands: commands, Events: events, Description: Boolean(openapi) };
  return {
    openapi: '3.1.1',
    info: {
      title: readName(issues, 'title', title, MOST_CHARACTERS),
      version: readName(issues, 'version', version, MOST_CHARACTERS),
      description: describeSurface(maxBodyBytes),
    },
    servers: readServers(issues, servers, prefix),
    security: [{ apiKey: [] }],
    tags: Object.entries(tags).flatMap(([name, description]) =>
      Reflect.get(shown, name) === true ? [{ name, description }] : [],
    ),
    paths,
    components: {
      ...componentsFor(paths, policy),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY', description: 'The key of a tenant.' },
      },
    },
  };
};

const optionNames = {
  sessions: true,
  limits: defaultLimits,
  faces: true,
  profiles: true,
  commands: true,
  events: true,
  openapi: { public: true },
  maxBodyBytes: true,
  prefix: true,
  servers: true,
  title: true,
  version: true,
} as const;

/**
 * The HTTP interface as an OpenAPI 3.1 document: plain JSON, frozen. Its schemas are made from the rules that requests
 * are read by, its errors from the table that they are answered from. A handler's `openapi` takes this function as it is.
 * Throws a `TypeError` that names every option that is wrong or unknown.
 */
export const openApiDocument = (options: OpenApiOptions = {}): OpenApiDocument =>
  readOptions('openApiDocument', options, optionNames, (issues) => frozen(compose(issues, options)));
