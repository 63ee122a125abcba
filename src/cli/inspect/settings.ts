import { err, ok, Result } from 'neverthrow';
import { type Environment, parseArguments } from '../command.js';
import { readWholeNumber } from '../environment.js';
import { type Failure, misuse } from '../failure.js';
import { readSourceSettings, type SourceSettings, sourceOptions } from '../read/settings.js';

export interface InspectSettings {
  readonly id: string;
  readonly source: SourceSettings;
  /** The most entries of the history that are shown, the last ones; nothing where it was not said. */
  readonly history: number | undefined;
  readonly follow: boolean;
  readonly json: boolean;
}

const MOST = 100_000_000;

const readId = ([id, ...more]: readonly string[]): Result<string, Failure> =>
  id === undefined || more.length > 0
    ? err(misuse(id === undefined ? 'which session? give its id; see --help' : 'one session at a time; see --help'))
    : ok(id);

export const readInspectSettings = (args: readonly string[], env: Environment): Result<InspectSettings, Failure> =>
  parseArguments({
    args: [...args],
    allowPositionals: true,
    options: {
      ...sourceOptions,
      history: { type: 'string' },
      follow: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
  }).andThen(({ values, positionals }) =>
    Result.combine([
      readId(positionals),
      values.history === undefined ? ok(undefined) : readWholeNumber('--history', values.history, 0, MOST),
      readSourceSettings(values, env),
    ]).map(([id, history, source]) => ({ id, source, history, follow: values.follow, json: values.json })),
  );
