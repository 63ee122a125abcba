/** How many letters have to be put in, left out or changed to make one text of the other (Levenshtein). */
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

/** What somebody may have meant who wrote `text`: a name that begins like it, or the most like it. */
export const nearest = (text: string, names: readonly string[]): string | undefined => {
  const wanted = text.slice(0, 64).toLowerCase();
  const most = Math.min(3, Math.max(1, Math.floor(wanted.length / 2)));
  const near = names
    .map((name) => ({ name, far: wanted.length > 1 && name.startsWith(wanted) ? 0 : distance(wanted, name) }))
    .filter(({ far }) => far <= most)
    .sort((a, b) => a.far - b.far);
  return near[0]?.name;
};

/** The same in brackets behind a name, empty where nothing is near. */
export const didYouMean = (name: string | undefined): string => (name === undefined ? '' : ` (did you mean ${name}?)`);
