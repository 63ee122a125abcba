import { err, ok } from 'neverthrow';
import type { Command } from '../command.js';
import { roomOf } from '../output.js';
import { openSource } from '../read/open.js';
import { sourceHelp } from '../read/settings.js';
import { follow } from './follow.js';
import { readInspectSettings } from './settings.js';
import { jsonView, textView } from './view.js';

const help = `Usage: colloquy inspect [options] ID

Shows a session with the end of its history. It reads and changes nothing.

Options:
  --history N          The last N entries of the history. Default: 20, and with --json all.
  --follow             Goes on with what the session does, until it has ended or Ctrl-C. Needs events: the service
                       that the session belongs to has to have them switched on.
  --json               The session as one line of JSON, in the form of the HTTP interface, with its end_reason; with
                       --follow one line for each change.
${sourceHelp}
`;

const run: Command['run'] = async (args, env) => {
  const settings = readInspectSettings(args, env);
  if (settings.isErr()) return err(settings.error);
  const { id, history, json } = settings.value;
  const opened = await openSource(settings.value.source);
  if (opened.isErr()) return err(opened.error);
  const source = opened.value;
  const view = json ? jsonView(history, settings.value.follow) : textView(history, roomOf(env));
  try {
    if (settings.value.follow) return await follow(source, id, view);
    const session = await source.get(id);
    if (session.isErr()) return err(session.error);
    await view.session(session.value);
    return ok(undefined);
  } finally {
    await source.close();
  }
};

export const inspect: Command = { summary: 'show one session, and follow it', help, run };
