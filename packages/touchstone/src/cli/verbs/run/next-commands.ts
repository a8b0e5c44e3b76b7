import { commandToType, flag, shellWord, whereFlags } from '../../command-line.js';
import type { Context } from '../../io.js';
import { type RunView, refOf } from './result.js';
import type { RunOptions } from './run-options.js';

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
