/** Runs a task one at a time. Calls while it runs cause one further run together. */
export const oneAtATime = (task: () => Promise<void>): (() => Promise<void>) => {
  let isRunning = false;
  let isStale = false;
  return async () => {
    isStale = true;
    if (isRunning) return;
    isRunning = true;
    while (isStale) {
      isStale = false;
      await task();
    }
    isRunning = false;
  };
};
