/** A listener of the host that can do no harm: what it throws, or rejects with, is passed over. */
export const harmless =
  <T>(listener: ((value: T) => unknown) | undefined): ((value: T) => void) =>
  (value) => {
    (async () => listener?.(value))().catch(() => {
      // There is nobody left to tell.
    });
  };
