import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { SessionLimits } from '../session/session-limits.js';
import type { DataChanges } from '../session/update-labels-and-metadata.js';
import { by, fieldsOf, inputOf, optional } from './fields-of.js';
import { type Fields, isFields, parseWhole } from './parse-fields.js';
import { parseLabelChanges } from './parse-labels.js';
import { parseMetadataChanges } from './parse-metadata.js';
import { parseSafely } from './parse-safely.js';
import { revisionRule } from './rule.js';
import { commandFields } from './session-input.js';

/**
 * Parses the changes of labels and metadata. `null` counts as absent, but there must be one of
 * them.
 */
export const parseUpdate = (
  input: unknown,
  limits: SessionLimits,
): Result<DataChanges, InvalidInput> =>
  parseSafely('input', (issues) => {
    const parse = fieldsOf({
      labels: parseLabelChanges,
      metadata: by(parseMetadataChanges, limits),
    });
    const changes = parse(issues, 'input', input);
    const { labels, metadata }: Fields = isFields(input) ? input : {};
    issues.check(
      (labels ?? metadata ?? undefined) !== undefined,
      'labels',
      'or metadata is required',
    );
    return changes;
  });

export const parseUpdateOptions = inputOf('options', {
  ...commandFields,
  ifRevision: optional(by(parseWhole, revisionRule.least)),
});
