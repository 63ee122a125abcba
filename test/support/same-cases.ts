import fc from 'fast-check';

// Mutants are compared, so each meets the same cases, and failures need no shrinking.
fc.configureGlobal({ seed: 1, endOnFailure: true });
