/** Removes revisions, because they are random. */
export const withoutRevisions = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutRevisions);
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => name !== 'revision');
  return Object.fromEntries(fields.map(([name, part]) => [name, withoutRevisions(part)]));
};
