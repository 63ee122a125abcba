import { type PlantedBug, planted } from './planted-bug.js';

export const plantedListBugs: readonly PlantedBug[] = [
  planted(
    'forgets the order of sessions created in the same millisecond',
    'list: newest first, the same millisecond by id from the highest down',
    (inner) => ({
      list: (tenant, range, ...rest) => {
        const { offset, limit, ...all } = range;
        if (range.cursor !== undefined || range.order === 'oldest')
          return inner.list(tenant, range, ...rest);
        return inner.list(tenant, { ...all, offset: 0, limit: 10_000 }, ...rest).map((page) => ({
          ...page,
          records: page.records
            .toReversed()
            .toSorted(
              ({ head: a }, { head: b }) => Date.parse(b.createdAt) - Date.parse(a.createdAt),
            )
            .slice(offset, offset + limit),
        }));
      },
    }),
  ),
  planted(
    'skips a session where a page begins at a cursor',
    'range: a walk by cursor meets each session once, whatever the size of its pages',
    (inner) => ({
      list: (tenant, range, ...rest) =>
        inner.list(
          tenant,
          range.cursor === undefined ? range : { ...range, offset: range.offset + 1 },
          ...rest,
        ),
    }),
  ),
  planted(
    'counts sessions of every status in the total of one',
    'status: pages, totals, cursors, ranges and orders count only sessions of the status',
    (inner) => ({
      list: (tenant, range, ...rest) =>
        inner.list(tenant, range, ...rest).map((page) => ({
          ...page,
          total: inner.list(tenant, { ...range, status: undefined }, ...rest)._unsafeUnwrap().total,
        })),
    }),
  ),
  planted(
    'lists what was created at createdAfter',
    'range: createdAfter and createdBefore exclude their own milliseconds',
    (inner) => ({
      list: (tenant, { createdAfter, ...range }, ...rest) => {
        if (createdAfter === undefined) return inner.list(tenant, range, ...rest);
        const earlier = new Date(Date.parse(createdAfter) - 1).toISOString();
        return inner.list(tenant, { ...range, createdAfter: earlier }, ...rest);
      },
    }),
  ),
];
