/** How many letters to insert, delete or replace to turn one text into the other (Levenshtein distance). */
const distance = (one: string, other: string): number => {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column += 1) {
      const changed = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
};

/** The name that was probably meant by `text`: one that begins with it, or the one most like it. Case does not count. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const wanted = text.slice(0, 64).toLowerCase();
  const most = Math.min(3, Math.max(1, Math.floor(wanted.length / 2)));
  const near = names
    .map((name) => {
      const known = name.toLowerCase();
      return { name, far: wanted.length > 1 && known.startsWith(wanted) ? 0 : distance(wanted, known) };
    })
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return near[0]?.name;
};

/** The hint for a message; empty where no name is near. */
export const didYouMean = (name: string | undefined): string => (name === undefined ? '' : ` (did you mean ${name}?)`);
