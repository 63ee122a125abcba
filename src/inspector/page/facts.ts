import { element } from './dom.js';
import type { SessionDetail } from './session-row.js';
import { asTime, escapeInvisible } from './text.js';
import { timeAgo } from './time-ago.js';

/** The options, the labels, the metadata and the creation time of a session. */
export const factsOf = ({
  options,
  labels,
  metadata,
  created_at: createdAt,
}: SessionDetail): HTMLDListElement => {
  const { time_limit: _, ...others } = options;
  const labelled = Object.entries(labels).map((label) => label.join(':'));
  const named: readonly (readonly [string, string])[] = [
    ...Object.entries(others).map(([name, value]) => [name, String(value)] as const),
    ['labels', labelled.join('\n')],
    ['metadata', Object.keys(metadata).length === 0 ? '' : JSON.stringify(metadata, undefined, 2)],
  ];
  const items = named.flatMap(([name, value]) => [
    element('dt', {}, name),
    element('dd', { dir: 'auto' }, escapeInvisible(value) || '–'),
  ]);
  const created = element('dd', {}, `${asTime(createdAt)}, `, timeAgo(createdAt));
  return element('dl', { class: 'facts' }, ...items, element('dt', {}, 'created'), created);
};
