import type { SessionLabels } from '../../src/session/session.js';
import { escapeName, unescapeName } from './escape-name.js';

/**
 * A label as a text without spaces. Names need no escaping, because their characters are
 * unreserved.
 */
export const labelText = (name: string, value: string): string => `${name}=${escapeName(value)}`;

export const labelTexts = (labels: SessionLabels = {}): readonly string[] =>
  Object.entries(labels).map(([name, value]) => labelText(name, value));

/** The labels of such texts. */
export const labelsOf = (texts: readonly string[]): SessionLabels =>
  Object.fromEntries(
    texts.map((text) => {
      const end = text.indexOf('=');
      return [text.slice(0, end), unescapeName(text.slice(end + 1))];
    }),
  );
