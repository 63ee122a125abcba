/** Whether an operation ends before a timer that is set together with it: however slow the machine, a fair race. */
export const inTime = async <T>(
  ms: number,
  operation: () => PromiseLike<T> | T,
): Promise<{ readonly late: boolean; readonly value: T }> => {
  let late = false;
  const bound = setTimeout(() => {
    late = true;
  }, ms);
  const value = await operation();
  clearTimeout(bound);
  return { late, value };
};
