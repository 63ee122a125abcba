import { element } from './dom.js';
import type { SessionDetail } from './session-row.js';
import { asTime, escapeInvisible } from './text.js';
import { timeAgo } from './time-ago.js';

/** A name and the parts of its value, which may be untrusted. */
export type Fact = readonly [name: string, ...value: readonly (string | Node)[]];

const shown = (part: string | Node): string | Node =>
  typeof part === 'string' ? escapeInvisible(part) : part;

export const factList = (facts: readonly Fact[]): HTMLDListElement => {
  const items = facts.flatMap(([name, ...value]) => [
    element('dt', {}, name),
    element('dd', { dir: 'auto' }, ...value.map(shown)),
  ]);
  return element('dl', { class: 'facts' }, ...items);
};

export const timeFact = (name: string, time: string): Fact => [
  name,
  `${asTime(time)}, `,
  timeAgo(time),
];

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
  const texts = named.map(([name, value]): Fact => [name, value || '–']);
  return factList([...texts, timeFact('created', createdAt)]);
};
