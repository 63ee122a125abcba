/**
 * What properties are beyond their names. Where schemas differ, the key starts with the schema
 * name.
 */
export const properties: Readonly<Record<string, string>> = {
  context: 'Background facts.',
  behavior: 'Instructions, such as a system prompt.',
  time_limit: 'Seconds that the session may be ACTIVE, across pauses, with fractions.',
  'SessionOptions.time_limit':
    'Seconds that the session may be ACTIVE, across pauses; 0 is no limit.',
  role: 'Who said it; usually user or assistant.',
  content: 'What was said.',
  timestamp: 'When it was said.',
  'HistoryEntry.id': 'An id that the caller chose.',
  'PositionedHistoryEntry.id': 'An id that the caller chose.',
  'NewHistoryEntry.id': 'An id of your own.',
  'NewHistoryEntry.position': 'Ignored, so that an entry of a history can be sent as it is.',
  data: 'Data beside the text, such as tool calls: any JSON value.',
  history: 'Oldest first.',
  history_limit: 'Maximum number of the latest entries in the answer. Default: all.',
  duration: 'Whole seconds spent ACTIVE, rounded down.',
  duration_ms: 'Milliseconds spent ACTIVE.',
  started_at: 'When it was started first.',
  updated_at: 'When it last changed.',
  ends_at: 'When the clock ends it, if no command does before.',
  positions: 'Positions of entries, as a part of the history has them.',
  start: 'Whether the session is started at once.',
  wake: 'Whether a worker should claim the session.',
  from: 'The session to fork: the new one begins with its history up to the position of an entry, or the whole.',
  entries: 'The history that the session begins with, after that of `from`, oldest first.',
  'AppendHistory.entries': 'Oldest first. All of them are appended, or none.',
  'RewindHistory.entries': 'The entries that follow `to`, oldest first. Default: none.',
  'HistoryPart.entries': 'Oldest first.',
  'SessionChangedEvent.entries':
    'The new entries at the end of the history, oldest first; may be none.',
  to: 'The position of an entry, or 0: the entries after it are superseded.',
  if_position: 'Refused if the history does not end at this position.',
  position: 'The position at the end: opaque, increasing, and the same for a repeated request.',
  'PositionedHistoryEntry.position': 'The position after it.',
  'HistoryPart.position': 'The position after the part. Send it as `after` to read on.',
  'ClaimedSession.position': 'The end of the history: send it as `if_position`.',
  'Problem.position': 'With history_moved: where the history ends.',
  'HistoryPart.start':
    'The position before the part, 0 at the beginning of the history: read back from it with `before`.',
  'ClaimedSession.start': 'The position before the entries, 0 at the beginning of the history.',
  labels: 'Names and values to find sessions by.',
  'UpdateSession.labels':
    'Labels to set, and with null to remove; the others stay. A session has at most 8.',
  metadata: 'Data of the host.',
  'UpdateSession.metadata':
    'Members to set, each as a whole, and with null to remove; the others stay. The limit is that of all of them.',
  revision: 'Changes with each command, update, wake and change of the lease, not with entries.',
  if_revision: 'Refused with the code conflict if the session has another revision.',
  seconds: 'Duration of the lease.',
  fencing_token: 'Number of the lease, higher than those before it.',
  until: 'When the lease ends.',
  done: 'Of a claim: whether the work is done. If not, the session waits for a worker again after a delay.',
  'WakeSession.at': 'From when on the session waits for a worker. Default: now.',
  'ClaimSessions.limit': 'Maximum number of sessions; above 100 it counts as 100. Default: 1.',
  'ClaimSessions.history_limit':
    'How many of the latest entries of each history, at most 1000; fewer if they are large. Default: 0.',
  attempts: 'Maximum number of claims until the work is done. Default: 10.',
  is_alone:
    'Present if the lease before this one has run out without a release: its holder may have ' +
    'crashed because of this session. No other session is claimed with it.',
  attempt: 'Number of this claim since the work was last done.',
  waiting_since: 'Since when the session has waited for this claim.',
  claimed: 'The longest waiting first.',
  unreadable: 'Ids of sessions that wait for a worker but cannot be read.',
  'WaitingCount.count': 'Number of sessions; `limit` if there are more.',
  'WaitingCount.limit': 'The number up to which sessions are counted.',
  limit: 'The maximum number that was applied.',
  reason: 'For the worker: it is in its error `cancelled`.',
  'Problem.holder': 'With leased: who has the session.',
  sequence: 'The number of the last change within the session.',
  detail: 'What is wrong, for people.',
  errors:
    'With invalid_input alone: every field that breaks a rule, by the name that it was sent under.',
};
