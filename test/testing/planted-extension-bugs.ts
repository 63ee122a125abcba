import { eventsWith, type PlantedBug, planted } from './planted-bug.js';

const isChange =
  'extend: another time limit is a change though the status stays, and has the next number';
const hasItsEvent =
  'extend: the event of an extension has the new limit and the new end, and is logged once';
const isDueThen =
  'extend: a session is due at its new deadline, later or earlier, and takes entries until then';

/** Bugs in changes of the time limit. */
export const plantedExtensionBugs: readonly PlantedBug[] = [
  planted('takes an extension for a renewed lease', isChange, (inner) => {
    let extensions = 0;
    return {
      replace: (key, previous, next, options) => {
        const before = inner.findState(key)._unsafeUnwrap();
        if (before?.status === next.status && before.limitMs !== next.limitMs) extensions += 1;
        return inner.replace(key, previous, next, options);
      },
      find: (...args) =>
        inner
          .find(...args)
          .map((found) => found && { ...found, sequence: found.sequence - extensions }),
    };
  }),
  planted('counts an extension that is stale', isChange, (inner) => {
    let stale = 0;
    return {
      replace: (...args) =>
        inner.replace(...args).map((outcome) => {
          if (outcome === 'stale') stale += 1;
          return outcome;
        }),
      find: (...args) =>
        inner.find(...args).map((found) => found && { ...found, sequence: found.sequence + stale }),
    };
  }),
  planted('keeps the deadline of an extended session', isDueThen, (inner) => ({
    replace: (key, previous, next, options) => {
      const before = inner.findState(key)._unsafeUnwrap();
      const deadline = before?.status === next.status ? before.deadline : next.deadline;
      return inner.replace(key, previous, { ...next, deadline }, options);
    },
  })),
  planted('has no event for an extension', hasItsEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.filter(({ type }) => type !== 'session.extended'),
        })),
    })),
  })),
  planted('forgets the new end in the event', hasItsEvent, (inner) => ({
    events: eventsWith(inner, (events) => ({
      read: (...args) =>
        events.read(...args).map((page) => ({
          ...page,
          events: page.events.map((event) => {
            if (event.type !== 'session.extended') return event;
            const { endsAt: _, ...rest } = event;
            return rest;
          }),
        })),
    })),
  })),
];
