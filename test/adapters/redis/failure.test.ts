import { describe, expect, test } from 'vitest';
import { failureOf, outcomeOfFailure, withOutcome } from '../../../adapters/redis/failure.js';

describe('a failed Redis command', () => {
  test.each([
    ['LOADING Redis is loading the dataset in memory', 'LOADING', true],
    [
      'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
      'BUSY',
      true,
    ],
    ['CLUSTERDOWN The cluster is down', 'CLUSTERDOWN', true],
    ['TRYAGAIN Multiple keys request during rehashing of slot', 'TRYAGAIN', true],
    ['MOVED 3999 127.0.0.1:6381', 'MOVED', true],
    [
      "READONLY You can't write against a read only replica. script: 1f, on @user_script:1.",
      'READONLY',
      true,
    ],
    ['NOREPLICAS Not enough good replicas to write.', 'NOREPLICAS', false],
    ['MISCONF Errors writing to the AOF file: No space left on device', 'MISCONF', false],
    ["OOM command not allowed when used memory > 'maxmemory'.", 'OOM', false],
    ["-OOM command not allowed when used memory > 'maxmemory'.", 'OOM', false],
  ])('leaves its call not_applied after %s', (message, code, isTransient) => {
    expect(failureOf(new Error(message))).toMatchObject({
      code,
      isTransient,
      error: {
        type: 'store_unavailable',
        outcome: 'not_applied',
        message: `Redis refused: ${code}`,
      },
    });
  });

  test.each([
    ['NOAUTH Authentication required.', 'NOAUTH'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'WRONGPASS'],
    ["NOPERM this user has no permissions to run the 'get' command", 'NOPERM'],
    [
      "ERR The user executing the script can't run this command or subcommand script: 1f, on @user_script:1.",
      'NOPERM',
    ],
    [
      "ERR ACL failure in script: User app has no permissions to run the 'zadd' command script: 1f, on @user_script:1.",
      'NOPERM',
    ],
  ])('fails with misconfigured, and applies nothing, after %s', (message, code) => {
    const failure = failureOf(new Error(message));
    expect(failure).toMatchObject({ code, isTransient: false, error: { type: 'misconfigured' } });
    expect(outcomeOfFailure(failure)).toBe('not_applied');
    expect(withOutcome(failure, 'unknown')).toMatchObject({ outcome: 'unknown' });
  });

  // Redis 6.2 puts its own text in front of the reply of a command inside a script.
  test.each([
    ["-READONLY You can't write against a read only replica.", 'READONLY', true],
    ["-OOM command not allowed when used memory > 'maxmemory'.", 'OOM', false],
    ['WRONGTYPE Operation against a key holding the wrong kind of value', 'WRONGTYPE', false],
  ])('leaves its call not_applied after %s inside a script', (message, code, isTransient) => {
    const sha = '9401052d872adfd0179ef8c8e8c028512707629a';
    const wrapped = `ERR Error running script (call to f_${sha}): @user_script:4: @user_script: 4: ${message} `;
    expect(failureOf(new Error(wrapped))).toMatchObject({
      code,
      isTransient,
      error: { outcome: 'not_applied' },
    });
  });

  test.each([
    [
      'ERR Error running script (call to f_1f): @user_script:1: attempt to index a nil value',
      'ERR',
    ],
    [
      'UNKILLABLE Sorry the script already executed write commands against the dataset.',
      'UNKILLABLE',
    ],
  ])('is unknown and not retried after %s', (message, code) => {
    expect(failureOf(new Error(message))).toMatchObject({
      code,
      isTransient: false,
      error: { outcome: 'unknown' },
    });
  });

  test.each([
    new Error('Connection is closed.'),
    new Error('connect ECONNREFUSED 127.0.0.1:6379'),
    new Error("Stream isn't writeable and enableOfflineQueue options is false"),
    new Error(''),
    'a string',
    undefined,
    null,
  ])('is unknown and retried after %s', (cause) => {
    expect(failureOf(cause)).toMatchObject({
      code: '',
      isTransient: true,
      error: { outcome: 'unknown' },
    });
  });

  test('reports its cause without the arguments that the server repeats', () => {
    const message =
      "ERR unknown command 'evalsha', with args beginning with: '1f' '4' 'app:{0}:record:acme:one'\n'x' ";
    expect(failureOf(new Error(message)).error.cause).toBe("ERR unknown command 'evalsha'");
  });
});
