import { type PlantedBug, planted } from './planted-bug.js';

export const plantedListBugs: readonly PlantedBug[] = [
  planted(
    'forgets the order of sessions created in the same millisecond',
    'page: sorts by creation time, then by id, in both orders, by offset and by cursor',
    (inner) => ({
      page: (tenant, range, ...rest) => {
        const { offset, limit, ...all } = range;
        if (range.cursor !== undefined || range.order === 'oldest')
          return inner.page(tenant, range, ...rest);
        return inner.page(tenant, { ...all, offset: 0, limit: 10_000 }, ...rest).map((page) => ({
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
    'page: sorts by creation time, then by id, in both orders, by offset and by cursor',
    (inner) => ({
      page: (tenant, range, ...rest) =>
        inner.page(
          tenant,
          range.cursor === undefined ? range : { ...range, offset: range.offset + 1 },
          ...rest,
        ),
    }),
  ),
  planted(
    'counts sessions of every status in the total of one',
    'status: lists are the same by offset and by cursor, in both orders',
    (inner) => ({
      page: (tenant, range, ...rest) =>
        inner.page(tenant, range, ...rest).map((page) => ({
          ...page,
          total: inner.page(tenant, { ...range, status: undefined }, ...rest)._unsafeUnwrap().total,
        })),
    }),
  ),
  planted(
    'lists what was created at createdAfter',
    'page: createdAfter and createdBefore exclude their own milliseconds',
    (inner) => ({
      page: (tenant, { createdAfter, ...range }, ...rest) => {
        if (createdAfter === undefined) return inner.page(tenant, range, ...rest);
        const earlier = new Date(Date.parse(createdAfter) - 1).toISOString();
        return inner.page(tenant, { ...range, createdAfter: earlier }, ...rest);
      },
    }),
  ),
];
