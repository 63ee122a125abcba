/** Inputs of the readers. `i` is another number in each call, so that no input repeats. */
export const valid = {
  'create, two fields': (subject, i) => subject.create({ face: `ada-${i}`, profile: 'tutor' }),
  'create, all fields': (subject, i) =>
    subject.create({
      face: 'ada',
      profile: 'tutor',
      behavior: `Be brief ${i}.`,
      context: 'Closed on Fridays.',
      timeLimit: 600,
      labels: { user: `u-${i}`, channel: 'web' },
      metadata: { line: `+${i}` },
      start: true,
      entries: [{ role: 'user', content: 'Are you open?' }],
    }),
  'append, one entry': (subject, i) =>
    subject.append([{ role: 'user', content: `How are you, ${i}?`, id: `m-${i}` }], {
      operationId: `op-${i}`,
    }),
  'append, ten entries with data': (subject, i) => {
    const entryAt = (_, at) => ({ role: 'tool', content: `${i}`, id: `m-${at}`, data: { at } });
    return subject.append(Array.from({ length: 10 }, entryAt), {});
  },
  'list, no fields': (subject) => subject.list({}),
  'list, all filters': (subject, i) =>
    subject.list({
      limit: 1 + (i % 100),
      page: 3,
      status: ['ACTIVE', 'PAUSED'],
      labels: { user: `u-${i}` },
      createdAfter: '2026-01-01T00:00:00Z',
      historyLimit: 5,
    }),
};

export const invalid = {
  'create, three faults': (subject, i) => subject.create({ face: '', profile: i, timelimit: 3 }),
};

/** Other faults, whose paths all libraries must report. */
export const faults = [
  (subject) => subject.create(null),
  (subject) => subject.create({ face: 'a', labels: { user: '' } }),
  (subject) => subject.create({ face: 'a', from: { id: 'x', position: -1 } }),
  (subject) => subject.append([], {}),
  (subject) => subject.append([{ role: 'user' }], {}),
  (subject) => subject.append([{ role: 'user', content: 'x', timestamp: 'now' }], {}),
  (subject) => subject.append([{ role: 'user', content: 'x' }], { ifPosition: 0.5 }),
  (subject) => subject.list({ limit: 0 }),
  (subject) => subject.list({ cursor: '?' }),
];
