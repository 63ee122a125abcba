import { expect, test } from 'vitest';
import { PATIENT_MS } from '../support/patience.js';
import { entries } from './entries.js';
import { strictMembersOf } from './optional-inputs.js';

test(
  'every optional member of an argument accepts an explicit undefined',
  () => {
    expect(strictMembersOf(entries.keys())).toEqual([]);
  },
  PATIENT_MS,
);
