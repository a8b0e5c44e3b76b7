import { type Context, DEFAULT_DATA, type Settings } from './io.js';
import type { Where } from './session.js';
import { type RunView, refOf } from './verbs/run/result.js';
import type { RunOptions } from './verbs/run/run-options.js';

/** What a person may want to type next. Options that the command was given are carried over where they still matter. */
export function nextCommands(
  context: Context,
  result: RunView,
  options: RunOptions,
): readonly { readonly command: string; readonly does: string }[] {
  // Of all that failed, what did not fail before is the news.
  const first = result.report?.regression?.toFail[0] ?? result.failures[0]?.taskId;
  const next = (words: string, does: string) => ({ command: commandToType(context, words), does });
  return [
    ...(result.recorded === undefined
      ? []
      : [next(replayWords(result, result.recorded, options), 'the same without live tools')]),
    ...(first === undefined
      ? []
      : [next([`show last --task ${first}`, ...whereFlags(options)].join(' '), 'all of one task')]),
  ];
}

/** The recorded suite asked the same way: by the same agent and model, as often, and of the same tasks. */
function replayWords({ agent }: RunView, recorded: string, options: RunOptions): string {
  const { only, repeats, model, allowTargetMismatch } = options;
  return [
    `run ${shellWord(recorded)}`,
    ...flag('--agent', options.agent ?? refOf(agent)),
    ...flag('--only', only?.join(',')),
    ...flag('--repeats', repeats),
    ...flag('--model', model),
    ...(allowTargetMismatch ? ['--allow-target-mismatch'] : []),
  ].join(' ');
}

/** What the run is to do is planned and kept; where its results go has to be said again. */
export function resumeWords(runId: string, options: RunOptions): string {
  const { record, junit, markdown, bodies, conclusive, host, keyEnv } = options;
  return [
    `run --resume ${runId}`,
    ...flag('--record', record),
    ...flag('--junit', junit),
    ...flag('--markdown', markdown),
    ...(bodies ? ['--bodies'] : []),
    ...(conclusive ? ['--conclusive'] : []),
    ...whereFlags({ host, keyEnv }),
  ].join(' ');
}

/** What to add to a command so that it goes to the same host. */
export const whereFlags = ({ host, keyEnv }: Where): readonly string[] =>
  host === undefined
    ? []
    : [...flag('--host', host), ...flag('--key-env', keyEnv === 'TOUCHSTONE_KEY' ? undefined : keyEnv)];

export const flag = (name: string, value: string | number | undefined): readonly string[] =>
  value === undefined ? [] : [`${name} ${shellWord(String(value))}`];

/** A name with a space in it is one word when it is typed again. */
export const shellWord = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that works when it is typed as shown: inside an npm script the program itself is not on the path. */
export const commandToType = ({ io, settings }: Context, words: string): string =>
  `${io.env.npm_lifecycle_event === undefined ? '' : 'npx '}touchstone ${words}${globalFlags(settings)}`;

/** A command to type again must find the same data. */
export const globalFlags = ({ data, config }: Settings): string =>
  [...flag('--data', data === DEFAULT_DATA ? undefined : data), ...flag('--config', config)]
    .map((words) => ` ${words}`)
    .join('');
