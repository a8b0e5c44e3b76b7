import { type Command, InvalidArgumentError } from 'commander';
import { addHost, examples, type Start } from '../../verb-options.js';
import { share, wholeNumber } from '../project/verbs.js';

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

function addRejudge(program: Command, start: Start): void {
  const command = program
    .command('rejudge')
    .summary('have the answers of a run judged again')
    .description(
      'Judges the recorded answers of a completed run again, as a new run: no agent and no tool is asked. Prints both verdicts side by side.',
    )
    .argument('<runId>', 'a run, "last" for the newest one, "last~1" for the one before it');
  addHost(withJudgeOptions(command))
    .action(start(() => import('../run/rejudge.js'), 'rejudgeCommand'))
    .addHelpText('after', examples('rejudge last --judge local/judge-2', 'rejudge last --votes 5'));
}

function addJudge(program: Command, start: Start): void {
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
    .action(start(() => import('./judge-check.js'), 'judgeCheckCommand'))
    .addHelpText(
      'after',
      examples('judge check labels.jsonl', 'judge check labels.jsonl --judge local/judge-2 --min-kappa 0.6'),
    );
}

function kappa(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && number >= -1 && number <= 1) return number;
  throw new InvalidArgumentError('Expected a number from -1 to 1.');
}

function addBaseline(program: Command, start: Start): void {
  const baseline = program
    .command('baseline')
    .summary('choose the run that others are measured by')
    .description(
      'A blessed run is the baseline of its suite, its agent and its judge. Whoever wants to know whether the agent got worse compares with it.',
    );
  addHost(baseline.command('bless'))
    .summary('make a run the baseline')
    .description(
      'Makes a completed run the baseline of its suite, its agent and its judge. An earlier one is kept in the history.',
    )
    .argument('<runId>', 'a run, "last" for the newest one, "last~1" for the one before it')
    .action(start(() => import('./baseline.js'), 'blessCommand'))
    .addHelpText('after', examples('baseline bless last'));
  addHost(baseline.command('list'))
    .summary('list blessed runs, newest first')
    .description('Lists blessed runs, newest first. Those that count are marked.')
    .action(start(() => import('./baseline.js'), 'listBaselinesCommand'))
    .addHelpText('after', examples('baseline list --json'));
  addHost(baseline.command('show'))
    .summary('show a baseline and its history')
    .description('Shows what is measured by: the score with its interval, the agent, the judge, the history.')
    .argument('[which]', 'a suite (id or id@version) or a blessed run (default: every baseline that counts)')
    .action(start(() => import('./baseline.js'), 'showBaselineCommand'))
    .addHelpText('after', examples('baseline show', 'baseline show acme.shop.evals.refunds'));
}

function addCompare(program: Command, start: Start): void {
  addHost(program.command('compare'), 'compare runs of another host instead of those kept here')
    .summary('hold one run against another, task by task')
    .description(
      'Holds one run against another, task by task, and tells whether a drop is real or may be chance. Runs of different suites are listed side by side without a verdict.',
    )
    .argument('<before>', `the earlier one: ${SIDE}, or "blessed" for the baseline`)
    .argument('<after>', 'the later one, likewise')
    .option('--agent <agent>', 'of a suite given as id@version, only runs of this agent (id or id@version)')
    .option('--task <taskId>', 'only this task, with both answers')
    .option('--all', 'every task, also those that scored as before')
    .option('--allow-judge-mismatch', 'compare also what different judges have scored')
    .option('--tolerance <drop>', 'a drop up to this is no regression (default: the configured one)', share)
    .option('--conclusive', 'exit with 3 when it cannot be told whether a drop is real')
    .option('--bodies', 'show answers and criteria also when stdout is not a terminal')
    .action(start(() => import('./compare.js'), 'compareCommand'))
    .addHelpText('after', COMPARE_EXAMPLES);
}

const SIDE =
  'a run, "last", "last~1" (the one before it), a scorecard file, a suite as id@version (its newest completed run)';

const COMPARE_EXAMPLES = `
Examples:
  $ touchstone compare last~1 last
  $ touchstone compare blessed last
  $ touchstone compare nightly.scorecard.json last --conclusive
  $ touchstone compare acme.shop.evals.refunds@1.1.0 acme.shop.evals.refunds@1.2.0 --agent local.acme.support
  $ touchstone compare last~1 last --task late-refund

Exit codes: 0 no real regression · 1 a real regression · 2 bad input · 3 cannot tell, with --conclusive`;

// In the order of the help.
export const REGRESSION_VERBS = [addCompare, addBaseline, addRejudge, addJudge];
