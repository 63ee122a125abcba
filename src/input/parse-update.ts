import type { Result } from 'neverthrow';
import type { InvalidInput } from '../session/errors.js';
import type { SessionLimits } from '../session/session-limits.js';
import type { DataChanges } from '../session/update-labels-and-metadata.js';
import { parseWhole } from './parse-fields.js';
import { parseLabelChanges } from './parse-labels.js';
import { parseMetadataChanges } from './parse-metadata.js';
import { parseKnown } from './parse-options.js';
import { parseSafely } from './parse-safely.js';
import { revisionRule } from './rule.js';
import {
  commandOptionNames,
  commandOptionsOf,
  type ParsedCommandOptions,
} from './session-input.js';

/**
 * Parses the changes of labels and metadata. `null` counts as absent, but there must be one of
 * them.
 */
export const parseUpdate = (
  input: unknown,
  limits: SessionLimits,
): Result<DataChanges, InvalidInput> =>
  parseSafely('input', (issues) => {
    const fields = parseKnown(issues, 'input', input, ['labels', 'metadata']);
    const labels = fields.labels ?? undefined;
    const metadata = fields.metadata ?? undefined;
    issues.check((labels ?? metadata) !== undefined, 'labels', 'or metadata is required');
    return {
      labels: labels === undefined ? undefined : parseLabelChanges(issues, labels),
      metadata: parseMetadataChanges(issues, metadata, limits),
    };
  });

export interface ParsedUpdateOptions extends ParsedCommandOptions {
  readonly ifRevision: number | undefined;
}

export const parseUpdateOptions = (options: unknown): Result<ParsedUpdateOptions, InvalidInput> =>
  parseSafely('options', (issues) => {
    const { ifRevision, ...others } = parseKnown(issues, 'options', options, [
      ...commandOptionNames,
      'ifRevision',
    ]);
    return {
      ...commandOptionsOf(issues, others),
      ifRevision:
        ifRevision === undefined
          ? undefined
          : parseWhole(issues, 'ifRevision', ifRevision, revisionRule.least),
    };
  });
