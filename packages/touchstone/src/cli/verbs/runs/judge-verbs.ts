import { type Command, InvalidArgumentError } from 'commander';
import { addHost, type Start } from '../../host-options.js';
import { wholeNumber } from '../project/verbs.js';
import type { RejudgeOptions } from '../run/rejudge.js';
import type { JudgeCheckOptions } from './judge-check.js';

const MOST_VOTES = 25;

/** What both verbs say of the judge. */
const withJudgeOptions = (command: Command): Command =>
  command
    .option(
      '--judge <model>',
      'judge by this model: provider/model, or a name of "models" in the configuration (default: the configured judge)',
    )
    .option('--votes <n>', 'ask so many times; the majority decides', wholeNumber(1, MOST_VOTES))
    .option('--bodies', 'show criteria, answers and reasons also when stdout is not a terminal');

export function addRejudge(program: Command, start: Start): void {
  const command = program
    .command('rejudge')
    .summary('have the answers of a run judged again')
    .description(
      'Judges the recorded answers of a completed run again, as a new run: no agent and no tool is asked. Prints both verdicts side by side.',
    )
    .argument('<runId>', 'a run, "last" for the newest one, "last~1" for the one before it');
  addHost(withJudgeOptions(command))
    .action((runId: string, options: RejudgeOptions, self: Command) =>
      start(self, async (context) =>
        (await import('../run/rejudge.js')).rejudgeCommand(context, runId, options),
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ touchstone rejudge last --judge local/judge-2\n  $ touchstone rejudge last --votes 5',
    );
}

export function addJudge(program: Command, start: Start): void {
  const judge = program
    .command('judge')
    .summary('find out whether a judge can be trusted')
    .description('Judges decide what no check can. These verbs tell how far they can be trusted.');
  const check = judge
    .command('check')
    .description('Asks the judge about answers that people have judged, and tells how far they agree.')
    .argument('<labels>', 'a JSON Lines file of {"input", "output", "criterion", "met"}');
  withJudgeOptions(check)
    .option('--min-kappa <x>', 'exit with 1 when kappa is below this', kappa)
    .action((labels: string, options: JudgeCheckOptions, self: Command) =>
      start(self, async (context) =>
        (await import('./judge-check.js')).judgeCheckCommand(context, labels, options),
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ touchstone judge check labels.jsonl\n  $ touchstone judge check labels.jsonl --judge local/judge-2 --min-kappa 0.6',
    );
}

function kappa(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && number >= -1 && number <= 1) return number;
  throw new InvalidArgumentError('Expected a number from -1 to 1.');
}
