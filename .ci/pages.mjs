// The pages of the documents, for llms.txt and for the site.

/** The documents in the order in which they are read. */
export const SECTIONS = {
  'Start here': ['README.md', 'docs/chat.md', 'docs/voice.md', 'docs/fleet.md'],
  'How to': [
    'docs/ai-sdk.md',
    'docs/agents.md',
    'docs/human-approval.md',
    'docs/time-limits.md',
    'docs/user-sessions.md',
    'docs/histories.md',
    'docs/privacy.md',
    'docs/workers.md',
    'docs/live-updates.md',
    'docs/http.md',
    'docs/reference/inversify.md',
    'docs/testing.md',
    'docs/simulation.md',
    'docs/migrating.md',
    'docs/production.md',
  ],
  Explanation: ['docs/guarantees.md', 'docs/faq.md'],
  Reference: [
    'docs/reference/operations.md',
    'docs/reference/errors.md',
    'docs/reference/http-contract.md',
    'docs/postgres.md',
    'docs/sqlite.md',
    'docs/redis.md',
    'docs/reference/orms.md',
    'docs/reference/transactions.md',
    'docs/reference/compatibility.md',
  ],
  Further: ['CHANGELOG.md'],
};
/** Generated from the code, and too long for one file of everything. */
export const GENERATED = [
  'docs/reference/options.md',
  'docs/reference/http.md',
  'docs/reference/cli.md',
];

/** The first heading of a page. */
export const titleOf = (text, path) => /^# (.+)$/m.exec(text)?.[1] ?? path;
