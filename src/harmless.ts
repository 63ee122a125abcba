/** A listener of the host that can do no harm. */
export const harmless =
  <T>(listener: ((value: T) => void) | undefined): ((value: T) => void) =>
  (value) => {
    try {
      listener?.(value);
    } catch {
      // There is nobody left to tell.
    }
  };
