// Records the demo: runs npm start in one terminal, pastes some of the lines that it prints into
// another, kills the server, starts it again and reads the session. Draws both as an animated SVG.
// The texts and their order are real; waits are shortened or lengthened so that they can be read,
// and of the second start only the first lines are shown. Needs bash, curl and script (util-linux).
// Usage: npm run screencast
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';

const FILE = 'docs/pictures/demo.svg';
const [COLUMNS, ROWS, LOG_ROWS] = [112, 37, 11];
const [CHARACTER, LINE, MARGIN, BAR] = [7.5, 16, 12, 26];
// Seconds: to read the lines of the server, to read an answer and each row of it, and the end
// before it begins again.
const [GREETING, ANSWER, ROW, END] = [2.5, 0.5, 0.1, 3];
const PROMPT = '$ ';
// An escape sequence, of which a colour is kept, or one character.
const ESCAPE = String.fromCharCode(27);
const TOKEN = new RegExp(`${ESCAPE}\\[(\\d*)m|${ESCAPE}\\[[\\d;?]*[A-Za-z]|[\\s\\S]`, 'gu');

// Milliseconds without output after which a command counts as done, and the longest that it may
// take.
const [QUIET, LONGEST] = [700, 60_000];

/** A shell in a terminal of its own, with all that it prints. */
const openTerminal = () => {
  const env = {
    ...process.env,
    TERM: 'xterm',
    NPM_CONFIG_USERCONFIG: '/dev/null',
    npm_config_progress: 'false',
  };
  const shell = 'bash --noprofile --norc --noediting -i';
  const child = spawn('script', ['--quiet', '--flush', '--command', shell, '/dev/null'], { env });
  const chunks = [];
  child.stdout.setEncoding('utf8').on('data', (text) => chunks.push({ at: Date.now(), text }));
  const textFrom = (first) =>
    chunks
      .slice(first)
      .map(({ text }) => text)
      .join('');
  const type = async (line, until) => {
    const before = chunks.length;
    child.stdin.write(line);
    const deadline = Date.now() + LONGEST;
    while (!until.test(textFrom(before)) || Date.now() - (chunks.at(-1)?.at ?? 0) < QUIET) {
      if (Date.now() > deadline) throw new Error(`no ${until} after ${line}`);
      await setTimeout(50);
    }
  };
  const close = async () => {
    const closed = new Promise((resolve) => child.once('close', resolve));
    child.stdin.write('\x03');
    await setTimeout(1000);
    child.stdin.end('exit\n');
    const kill = globalThis.setTimeout(() => child.kill(), 5000);
    await closed;
    clearTimeout(kill);
  };
  return { chunks, type, close };
};

const LISTENS = /each message is answered once\.\r\n/;
/** Reads the conversation once the lease of the killed process has expired. */
const INSPECT = 'npx colloquy inspect demo --sqlite demo.db';
const ANSWER_MS = 12_000;

const textOf = (chunks) =>
  chunks
    .map(({ text }) => text)
    .join('')
    .replaceAll('\r', '');

/**
 * What was typed into a terminal begins a step: the chunks of both from there up to the next one.
 */
const record = async () => {
  const terminals = { server: openTerminal(), client: openTerminal() };
  const { server, client } = terminals;
  const steps = [];
  const step = async (terminal, lines, until) => {
    const [fromClient, fromServer] = [client.chunks.length, server.chunks.length];
    // One after the other: a terminal shows immediately what is typed, even if the shell has yet to
    // read it.
    for (const line of lines) await terminal.type(`${line}\n`, until);
    steps.push({
      client: client.chunks.slice(fromClient),
      server: server.chunks.slice(fromServer),
    });
  };
  try {
    // A shell takes no prompt from its environment.
    for (const { type, chunks } of [server, client]) {
      await type(`PS1='${PROMPT}'\n`, /\$ $/);
      chunks.length = 0;
    }
    await server.type('npm start\n', LISTENS);
    const greeting = textOf(server.chunks.splice(0));
    const [, send] = /^# send a message\n(curl .+)\n/m.exec(greeting);
    await step(client, ['# send a message', send], /^\$ /m);
    const [kill] = /kill -9 \d+/.exec(greeting);
    await step(client, ['# kill it before it has answered', kill], /^\$ /m);
    await step(server, ['npm start'], LISTENS);
    const restarted = steps.at(-1);
    const end = restarted.server.findIndex(({ text }) => text.includes('Paste'));
    restarted.server[end].text = restarted.server[end].text.replace(/\s*Paste[\s\S]*/, '\r\n');
    restarted.server.length = end + 1;
    await setTimeout(ANSWER_MS);
    await step(client, ['# some seconds later', INSPECT], /^\$ /m);
    return { greeting, steps };
  } finally {
    await Promise.all([client.close(), server.close()]);
  }
};

/** The pieces of text that a terminal shows: each in one row, in one style, from one moment on. */
const screen = () => {
  const pieces = [];
  let [row, column, style, isInput] = [0, 0, 'out', false];
  const put = (character, at) => {
    if (column === COLUMNS) [row, column] = [row + 1, 0];
    const last = pieces.at(-1);
    const continues = last?.row === row && last.at === at && last.style === style;
    if (continues) last.text += character;
    else pieces.push({ row, column, style, at, text: character });
    column += 1;
  };
  const write = (text, at) => {
    for (const [token, colour] of text.matchAll(TOKEN)) {
      if (colour !== undefined) style = { 31: 'bad', 32: 'good' }[colour] ?? 'out';
      else if (token === '\n') [row, column, isInput, style] = [row + 1, 0, false, 'out'];
      else if (token >= ' ' && token.length === 1) {
        if (isInput && style === 'out')
          style = { '#': 'comment', c: 'in', k: 'in', n: 'in' }[token] ?? 'out';
        isInput &&= style !== 'out';
        put(token, at);
        isInput ||= column === PROMPT.length && pieces.at(-1).text.endsWith(PROMPT);
      }
    }
  };
  return { write, pieces, rows: () => row + (column > 0 ? 1 : 0) };
};

/**
 * Both terminals with the moments, in seconds, at which their texts appear and their rows scroll.
 */
const arrange = ({ greeting, steps }) => {
  const [start, client, log] = [screen(), screen(), screen()];
  const [first, ...rest] = greeting.split(/(?<=npm start\n)/);
  start.write(PROMPT, 0);
  start.write(first, 0.5);
  start.write(rest.join(''), 2);
  let now = 2 + GREETING;
  const change = now;
  const scrolls = [];
  client.write(PROMPT, now);
  for (const step of steps) {
    now += 1;
    const began = Math.min(...[...step.client, ...step.server].map(({ at }) => at));
    const chunks = [
      ...step.client.map((chunk) => ({ ...chunk, terminal: client })),
      ...step.server.map((chunk) => ({ ...chunk, terminal: log })),
    ].toSorted((one, other) => one.at - other.at);
    const rowsBefore = client.rows();
    for (const { at, text, terminal } of chunks) {
      const moment = now + Math.min((at - began) / 1000, 1.5);
      terminal.write(text, Math.round(moment * 20) / 20);
      scrolls.push({ at: Math.round(moment * 20) / 20, client: client.rows(), log: log.rows() });
    }
    now += ANSWER + ROW * (client.rows() - rowsBefore);
  }
  return { start, client, log, change, scrolls, seconds: Math.ceil(now + END) };
};

const escapes = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text) => text.replace(/[&<>]/g, (character) => escapes[character]);

const draw = ({ start, client, log, change, scrolls, seconds }) => {
  const styles = [];
  const percent = (at) => `${((at / seconds) * 100).toFixed(2)}%`;
  const names = new Map();
  /** The class of what is seen from one moment on, to the end or to another moment. */
  const from = (at, to) => {
    const key = `${at}-${to}`;
    if (!names.has(key)) {
      const name = `t${names.size}`;
      names.set(key, name);
      const end = to === undefined ? '' : `${percent(to)},100%{opacity:0}`;
      styles.push(
        `@keyframes ${name}{0%{opacity:0}${percent(at)}{opacity:1}${end}}.${name}{animation-name:${name}}`,
      );
    }
    return names.get(key);
  };
  /** The class of rows that move up as soon as they are more than fit. */
  const scroll = (name, terminal, fitting) => {
    const offset = (rows) => Math.min(0, fitting - rows) * LINE;
    const offsets = new Map(
      scrolls.map((moment) => [percent(moment.at), offset(moment[terminal])]),
    );
    const steps = [...offsets].map(([moment, y]) => `${moment}{transform:translateY(${y}px)}`);
    const last = offset(scrolls.at(-1)[terminal]);
    styles.push(
      `@keyframes ${name}{0%{transform:none}${steps.join('')}100%{transform:translateY(${last}px)}}`,
    );
    styles.push(`.${name}{animation-name:${name};transform:translateY(${last}px)}`);
    return name;
  };
  const texts = (terminal) => {
    const groups = groupBy(terminal.pieces);
    const line = ({ row, column, style, text }) =>
      `<text x="${(column * CHARACTER).toFixed(1)}" y="${(row + 1) * LINE - 4}"${style === 'out' ? '' : ` class="${style}"`}>${escaped(text)}</text>`;
    return [...groups]
      .map(([at, pieces]) => `<g class="${from(at)}">${pieces.map(line).join('')}</g>`)
      .join('\n');
  };
  const width = Math.ceil(COLUMNS * CHARACTER) + 2 * MARGIN;
  const height = BAR + ROWS * LINE + 2 * MARGIN;
  const clientRows = ROWS - LOG_ROWS - 3;
  const logTop = BAR + MARGIN + clientRows * LINE + MARGIN;
  const clips = [];
  const pane = (top, rows, contents) => {
    const name = `p${clips.length}`;
    const size = `width="${width - 2 * MARGIN}" height="${rows * LINE}"`;
    clips.push(`<clipPath id="${name}"><rect x="${MARGIN}" y="${top}" ${size}/></clipPath>`);
    return `<g clip-path="url(#${name})"><g transform="translate(${MARGIN} ${top})">${contents}</g></g>`;
  };
  const bar = (top, title) =>
    `<rect y="${top}" width="${width}" height="${BAR}" class="bar"/><text x="${MARGIN}" y="${top + 17}" class="title">${title}</text>`;
  const greetingTop = Math.min(0, ROWS - start.rows()) * LINE;
  const screens = [
    `<g class="${from(0, change)} first">${bar(0, 'npm start')}${pane(BAR + MARGIN, ROWS, `<g transform="translate(0 ${greetingTop})">${texts(start)}</g>`)}</g>`,
    `<g class="${from(change)}">${bar(0, 'another terminal')}${pane(BAR + MARGIN, clientRows, `<g class="${scroll('c', 'client', clientRows)}">${texts(client)}</g>`)}`,
    `${bar(logTop, 'npm start')}${pane(logTop + BAR + 6, LOG_ROWS, `<g class="${scroll('l', 'log', LOG_ROWS)}">${texts(log)}</g>`)}</g>`,
  ].join('\n');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}">
<title>The demo in a terminal: npm start prints a key and a line of curl, which sends a message; the server is killed with kill -9 before it has answered, started again, and the message is answered once</title>
<style>
text{font:12.4px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#c9d1d9;white-space:pre}
.in{fill:#fff;font-weight:600}.comment{fill:#8b949e}.good{fill:#56d364}.bad{fill:#ff7b72}.title{fill:#8b949e}.bar{fill:#21262d}
@media(prefers-reduced-motion:no-preference){g{animation:${seconds}s step-end infinite}}
.first{opacity:0}
${styles.join('\n')}
</style>
${clips.join('')}
<rect width="${width}" height="${height}" rx="8" fill="#0d1117"/>
${screens}
</svg>
`;
};

const groupBy = (pieces) => {
  const groups = new Map();
  for (const piece of pieces) groups.set(piece.at, [...(groups.get(piece.at) ?? []), piece]);
  return groups;
};

writeFileSync(FILE, draw(arrange(await record())));
console.log(`written: ${FILE}`);
