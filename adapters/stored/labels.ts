import type { SessionLabels } from '../../src/session/session.js';
import type { StateRecord } from '../../src/session/session-record.js';
import { escapeName, unescapeName } from './escape-name.js';

/** Contains no spaces. Names need no escaping, because their characters are unreserved. */
export const labelText = (name: string, value: string): string => `${name}=${escapeName(value)}`;

export const labelTexts = (labels: SessionLabels = {}): readonly string[] =>
  Object.entries(labels).map(([name, value]) => labelText(name, value));

export const labelsOf = (texts: readonly string[]): SessionLabels =>
  Object.fromEntries(
    texts.map((text) => {
      const end = text.indexOf('=');
      return [text.slice(0, end), unescapeName(text.slice(end + 1))];
    }),
  );

type Label = readonly [name: string, value: string];

export interface LabelChange {
  readonly added: readonly Label[];
  readonly lost: readonly Label[];
}

const missingIn = (labels: SessionLabels, others: SessionLabels): readonly Label[] =>
  Object.entries(labels).filter(([name, value]) => others[name] !== value);

export const labelChangeOf = (
  { labels: before = {} }: Pick<StateRecord, 'labels'>,
  { labels: after = {} }: Pick<StateRecord, 'labels'>,
): LabelChange => ({ added: missingIn(after, before), lost: missingIn(before, after) });
