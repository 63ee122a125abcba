import fc from 'fast-check';

// Mutants are compared with one another: each meets the same cases, and one that is found need not
// be made small.
fc.configureGlobal({ seed: 1, endOnFailure: true });
