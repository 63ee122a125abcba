let parentURL;

export const initialize = (data) => {
  ({ parentURL } = data);
};

/** A hook of Node: a package that imports its own name gets itself. */
export const resolve = (specifier, context, nextResolve) =>
  nextResolve(specifier, /^colloquy(?:\/|$)/.test(specifier) ? { ...context, parentURL } : context);
