import { inject } from 'vitest';

/** Returns the file that was built under a name: see `Builder`. */
export const built = async (name: string): Promise<string> => {
  const response = await fetch(`${inject('builder')}/${name}`);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
};
