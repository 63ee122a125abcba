import { constants } from 'node:os';

/** npm passes on the signal of a Ctrl-C that the terminal has sent here too. */
const ECHO_MS = 300;

/**
 * Resolves when the process is asked to stop. Asked once more, it ends at once, with the exit code that a shell expects
 * after the signal.
 */
export const stopSignal = (underNpm: boolean): Promise<void> =>
  new Promise((resolve) => {
    let first: number | undefined;
    const onSignal = (signal: 'SIGINT' | 'SIGTERM') => {
      if (first === undefined) {
        first = performance.now();
        resolve();
      } else if (!underNpm || performance.now() - first > ECHO_MS) {
        process.exit(128 + constants.signals[signal]);
      }
    };
    process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  });
