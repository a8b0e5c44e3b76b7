import type { Command } from 'commander';
import { addHost, type Start } from '../../host-options.js';
import type { Where } from '../../session.js';
import { share } from '../project/verbs.js';
import type { CompareOptions } from './compare.js';

export function addBaseline(program: Command, start: Start): void {
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
    .action((runId: string, where: Where, command: Command) =>
      start(command, async (context) => (await import('./baseline.js')).blessCommand(context, runId, where)),
    )
    .addHelpText('after', '\nExample:\n  $ touchstone baseline bless last');
  addHost(baseline.command('list'))
    .summary('list blessed runs, newest first')
    .description('Lists blessed runs, newest first. Those that count are marked.')
    .action((where: Where, command: Command) =>
      start(command, async (context) => (await import('./baseline.js')).listBaselinesCommand(context, where)),
    )
    .addHelpText('after', '\nExample:\n  $ touchstone baseline list --json');
  addHost(baseline.command('show'))
    .summary('show a baseline and its history')
    .description('Shows what is measured by: the score with its interval, the agent, the judge, the history.')
    .argument('[which]', 'a suite (id or id@version) or a blessed run (default: every baseline that counts)')
    .action((which: string | undefined, where: Where, command: Command) =>
      start(command, async (context) =>
        (await import('./baseline.js')).showBaselineCommand(context, which, where),
      ),
    )
    .addHelpText(
      'after',
      '\nExamples:\n  $ touchstone baseline show\n  $ touchstone baseline show acme.shop.evals.refunds',
    );
}

export function addCompare(program: Command, start: Start): void {
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
    .action((before: string, after: string, options: CompareOptions, command: Command) =>
      start(command, async (context) =>
        (await import('./compare.js')).compareCommand(context, before, after, options),
      ),
    )
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
