import { describe, expect, test } from 'vitest';
import { inspect } from '../../../src/cli/inspect.js';
import { list } from '../../../src/cli/list.js';
import { Options } from '../../../src/cli/options.js';
import { serve } from '../../../src/cli/serve.js';

const commands = { serve, list, inspect };

/** The options of a command that its help declares, and whether each has a value. */
const declared = Object.entries(commands).flatMap(([name, command]) =>
  Array.from(command.help.matchAll(/^ {2}--([\w-]+)( [A-Z]+)?/gm), ([, option = '', value]) => ({
    name,
    command,
    option,
    hasValue: value !== undefined,
  })),
);

describe('a command line', () => {
  test.each(declared)(
    'suggests --$option of $name for a misspelled option',
    ({ command, option }) => {
      const misspelled = `--${option.slice(0, 1)}${option}`;
      expect(() => new Options(command, [misspelled], {})).toThrow(
        `${misspelled} is unknown (did you mean --${option}?)`,
      );
    },
  );

  test.each(declared)('reports the rule of --$option of $name', ({ command, option, hasValue }) => {
    const [given, rule] = hasValue
      ? [`--${option}`, 'must have a value']
      : [`--${option}=on`, 'must have no value'];
    expect(() => new Options(command, [given], {})).toThrow(`--${option} ${rule}`);
  });
});
