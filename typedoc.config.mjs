import { existsSync, readFileSync } from 'node:fs';
import { Converter, ReflectionKind } from 'typedoc';

const { exports } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));

/** The source of each subpath, by the name that users import. */
const sources = new Map(
  Object.keys(exports)
    .filter((subpath) => !subpath.endsWith('.json'))
    .map((subpath) => {
      const places = [`src${subpath.slice(1)}/index.ts`, `adapters${subpath.slice(1)}/index.ts`];
      const source = places.find((path) => existsSync(new URL(path, import.meta.url)));
      if (source === undefined)
        throw new Error(`${subpath} has no source among ${places.join(', ')}`);
      return [source, `colloquy${subpath.slice(1)}`];
    }),
);

/**
 * Modules are called as they are imported, and not by where they stand; parameters that are taken
 * apart get a name.
 */
const named = ({ converter }) => {
  converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const module of project.getReflectionsByKind(ReflectionKind.Module)) {
      module.name = sources.get(`${module.name}/index.ts`) ?? module.name;
    }
    for (const parameter of project.getReflectionsByKind(ReflectionKind.Parameter)) {
      if (parameter.name.startsWith('__named')) parameter.name = 'options';
    }
  });
};

/**
 * @type {Partial<import('typedoc').TypeDocOptions> &
 * import('typedoc-plugin-markdown').PluginOptions}
 */
export default {
  plugin: ['typedoc-plugin-markdown', named],
  entryPoints: [...sources.keys()],
  tsconfig: 'docs/tsconfig.json',
  // The compiler has its own turn.
  skipErrorChecking: true,
  out: 'docs/api',
  readme: 'none',
  name: 'API reference',
  router: 'module',
  hideBreadcrumbs: true,
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  // What Express and Koa have of Node is not told again.
  excludeExternals: true,
  // Types that are not exported are told where they are used.
  validation: { notExported: false },
  useCodeBlocks: true,
  parametersFormat: 'table',
  interfacePropertiesFormat: 'table',
  classPropertiesFormat: 'table',
  typeAliasPropertiesFormat: 'table',
  typeDeclarationFormat: 'table',
};
