import { describe, expect, test } from 'vitest';
import { Options } from '../../src/cli/options.js';

const help = `Usage: colloquy try [options] [FILE]

  --port N, $PORT     The port. --nothing is not an option.
  --loud, $TRY_LOUD   A switch.
  --json              Another, without a variable.
`;

const read = (args: string[], env: NodeJS.ProcessEnv = {}): Options =>
  new Options({ help, operands: 1 }, args, env);

describe('command line options', () => {
  test('are those that the help text lists', () => {
    const options = read(['--port', '1', '--json', 'file']);
    expect([options.text('port'), options.isOn('json'), options.isOn('loud')]).toEqual([
      '1',
      true,
      false,
    ]);
    expect(options.operands).toEqual(['file']);
    expect(() => read(['--nothing'])).toThrow('--nothing is unknown');
    expect(() => read(['--prt', '1'])).toThrow('--prt is unknown (did you mean --port?)');
    expect(() => read(['a', 'b'])).toThrow('argument "b" is unknown');
  });

  test('take precedence over their environment variables', () => {
    const env = { PORT: '2', TRY_LOUD: 'on', JSON: 'on' };
    expect(read([], env).given.get('port')).toEqual({ label: 'PORT', text: '2' });
    expect(read(['--port', '1'], env).given.get('port')).toEqual({ label: '--port', text: '1' });
    expect([read([], env).isOn('loud'), read([], env).isOn('json')]).toEqual([true, false]);
  });

  test('are reported with the place where a wrong value was set', () => {
    expect(() => read([], { TRY_LOUD: 'yes' }).isOn('loud')).toThrow('TRY_LOUD must be on or off');
    expect(() => read([], { PORT: '' })).toThrow('PORT is empty');
    expect(() => read([], { PORT: '1e1' }).integer('port', 0, 99, 3)).toThrow(
      'PORT must be a whole number from 0 to 99',
    );
    expect(() => read(['--port', '100']).integer('port', 0, 99, 3)).toThrow(
      '--port must be a whole number',
    );
    expect(read([]).integer('port', 0, 99, 3)).toBe(3);
  });
});

test('accept an id that begins with a dash as an operand, before options and after them', () => {
  const id = '-Us7-D_dGBhyRmMNlHQda';
  for (const args of [
    [id, '--json'],
    ['--json', id],
    ['--json', '--', id],
  ])
    expect(read(args).operands).toEqual([id]);
});
