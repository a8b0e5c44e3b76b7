import { type Command, InvalidArgumentError } from 'commander';
import {
  addHost,
  dollars,
  examples,
  OUTPUT,
  type Start,
  several,
  wholeNumber,
  withEnvFiles,
} from '../../verb-options.js';
import { share } from '../project/verbs.js';

const RUN = 'a run, "last" for the newest one, "last~1" for the one before it';
const MOST = Number.MAX_SAFE_INTEGER;

/** What both verbs say of the judge. */
const withJudgeOptions = (command: Command): Command =>
  command
    .option(
      '--judge <model>',
      'judge by this model: provider/model, or a name of "models" in the configuration; or by a portable judge, its file or <judgeId>@<version> (default: the configured judge)',
    )
    .option('--votes <n>', 'ask so many times; the majority decides', wholeNumber(1, 25))
    .option('--bodies', 'show criteria, answers and reasons also when stdout is not a terminal');

function addRejudge(program: Command, start: Start): void {
  const command = program
    .command('rejudge')
    .summary('have the answers of a run judged again')
    .description(
      'Judges the recorded answers of a completed run again, as a new run: no agent and no tool is asked. Prints both verdicts side by side.',
    )
    .argument('<runId>', RUN);
  withEnvFiles(addHost(withJudgeOptions(command)))
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
  withEnvFiles(withJudgeOptions(check))
    .option('--min-kappa <x>', 'exit with 1 when kappa is below this', kappa)
    .option(
      '--suite <ref>',
      'keep the result as the calibration of this judge for the suite, for gates to count',
    )
    .option('--tenant <name>', 'with --suite or --against: the tenant whose gates count it', 'local')
    .option('--workspace <name>', 'with --suite or --against: the workspace of the tenant', 'main')
    .option(
      '--against <record|file>',
      'compare with an earlier check of the same labels: its record, or its --json output; exit with 1 when the judge got worse',
    )
    .action(start(() => import('./judge-check.js'), 'judgeCheckCommand'))
    .addHelpText(
      'after',
      examples(
        'judge check labels.jsonl',
        'judge check labels.jsonl --judge local/judge-2 --min-kappa 0.6',
        'judge check labels.jsonl --suite local.example.evals.desk',
        'judge check labels.jsonl --against last-week.json',
      ),
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
    .argument('<runId>', RUN)
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
    .argument('[before]', `the earlier one: ${SIDE}, or "blessed" for the baseline`)
    .argument('[after]', 'the later one, likewise (default for both: the last two that can be compared)')
    .option('--agent <agent>', 'of a suite given as id@version, only runs of this agent (id or id@version)')
    .option('--task <taskId>', 'only this task, with both answers')
    .option('--all', 'every task, also those that scored as before')
    .option('--common', 'compare the tasks that are the same in both suites, whatever else changed')
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
  $ touchstone compare
  $ touchstone compare last~1 last
  $ touchstone compare blessed last
  $ touchstone compare nightly.scorecard.json last --conclusive
  $ touchstone compare acme.shop.evals.refunds@1.1.0 acme.shop.evals.refunds@1.2.0 --agent local.acme.support
  $ touchstone compare last~1 last --task late-refund

Exit codes: 0 no real regression · 1 a real regression · 2 bad input · 3 cannot tell, with --conclusive`;

function addExport(program: Command, start: Start): void {
  addHost(program.command('export'), 'export a run of another host')
    .summary('write the scorecard of a run as a signed file')
    .description(
      'Writes the scorecard of a completed run as a signed file that others can check and compare with. It holds scores, names and digests, and no content.',
    )
    .argument('[runId]', RUN)
    .option('--all <folder>', 'the newest whole run of every suite and agent, a file each, for --baseline')
    .option('-o, --out <file>', 'where to (default: <suiteId>-<runId>.scorecard.json here); - is stdout')
    .option('--key <file>', 'sign with this private key: Ed25519, PEM (default: one made for this machine)')
    .option('--key-id <id>', 'the name under which others know the key of --key')
    .option('--public-key <file>', 'also write the public key, which others need to check the file')
    .option('--output <file>', `${OUTPUT}; alone it writes no scorecard`, several)
    .option(
      '--html [file]',
      'write the web page with the run in it (default: report.html); writes no scorecard',
    )
    .option(
      '--bundle <place>',
      'write an evidence bundle: the scorecard with the suite, the judges, the log and the audit records of the move that rests on it, all signed; a .tar file, or a folder',
    )
    .option('--no-suite', 'with --bundle: name the suite by its digest alone')
    .option('--bodies', 'with --output, --html and --bundle: inputs, answers and reasons as well')
    .action(start(() => import('./export-all.js'), 'exportRuns'))
    .addHelpText(
      'after',
      examples(
        'export last --public-key pub.pem',
        'export --all baselines',
        'export last --out evidence.scorecard.json --key key.pem --key-id acme-2026',
        'export last --output results.csv',
        'export last --html report.html --bodies',
      ),
    );
}

function addVerify(program: Command, start: Start): void {
  const verify = addHost(
    program.command('verify'),
    'compare with the runs of another host instead of those kept here',
  )
    .summary('check scorecard files')
    .description(
      'Checks scorecard files: that a trusted key has signed them, that their summary follows from their results, and that they agree with the run when it is kept here.',
    )
    .argument('<files...>', 'scorecard files, as "touchstone export" writes them; - is stdin')
    .option(
      '--key <file>',
      'also trust this public key: Ed25519, PEM; may be repeated (always trusted: "trust.keys" of the configuration, and the key of this machine)',
      several,
    )
    .action(start(() => import('./verify.js'), 'verifyCommand'))
    .addHelpText(
      'after',
      `${examples('verify evidence.scorecard.json', 'verify evidence.scorecard.json --key pub.pem')}\n\nExit codes: 0 verified · 1 not verified · 2 not a scorecard file`,
    );
  addVerifyBundle(verify, start);
}

function addVerifyBundle(verify: Command, start: Start): void {
  verify
    .command('bundle')
    .description(
      'Checks an evidence bundle without a host: every file against the signed manifest, the parts against each other, and every signature.',
    )
    .argument('<bundle>', 'a .tar file or a folder, as "touchstone export --bundle" writes them')
    .action(start(() => import('../bundle/verify-bundle.js'), 'verifyBundleCommand'))
    .addHelpText(
      'after',
      `${examples('verify bundle evidence.tar --key exporter.pem --key host.pem')}\n\nExit codes: 0 verified · 1 not verified · 2 not a bundle`,
    );
}

function addReplay(program: Command, start: Start): void {
  const replay = program
    .command('replay')
    .summary('go through a recorded run again, or branch off from it')
    .description(
      'Goes through the log of a run again, as a new run, and tells whether everything follows from what is recorded: no agent, tool or judge is asked. With --branch the new run keeps the history before a point and runs the rest anew.',
    )
    .argument('<runId>', RUN)
    .option('--branch', 'run on from the point of --from, with the options below')
    .option(
      '--from <seq>',
      'with --branch: the event where the new run leaves the old one',
      wholeNumber(0, MOST),
    )
    .option('--model <model>', 'with --branch: ask this model')
    .option('--concurrency <n>', 'with --branch: tasks at a time', wholeNumber(1, 256))
    .option('--timeout <ms>', 'with --branch: stop after so many milliseconds', wholeNumber(1, MOST))
    .option('--budget <usd>', 'with --branch: start no further task once so much is spent', dollars)
    .option('--allow-unpriced', 'with --branch: keep the budget although the price of a model is unknown')
    .option('--cache', 'with --branch: take model answers of earlier runs for the same questions')
    .option('--bodies', 'with --branch: show expected and actual answers also when stdout is not a terminal');
  addHost(replay)
    .action(start(() => import('../run/replay.js'), 'replayCommand'))
    .addHelpText(
      'after',
      examples('replay last', 'replay last --branch --from 0 --model local/small-2', 'show last --events'),
    );
}

function addAnnotate(program: Command, start: Start): void {
  addHost(program.command('annotate'), 'annotate a run of another host')
    .summary('rate or correct a run, or override the score of a task')
    .description(
      'Records what a person says about a run. --score, --passed and --failed override the score of a task: reports then show the automatic result and the adjusted one. The log, and the scorecard in it, never change.',
    )
    .argument('<runId>', RUN)
    .option('--task <taskId>', 'what it is about (default: the whole run)')
    .option('--rating <n>', 'from 1, poor, to 5, very good', wholeNumber(1, 5))
    .option('--label <text>', 'a word to sort by')
    .option('--flag', 'somebody should look at it')
    .option('--correction <text>', 'what the answer should have been')
    .option('--score <x>', 'the score that the task should have, from 0 to 1; needs --task and --note', share)
    .option('--passed', 'the task should have passed; needs --task and --note')
    .option('--failed', 'the task should have failed; needs --task and --note')
    .option('--note <text>', 'why')
    .option('--list', 'list what has been said about the run')
    .option('--bodies', 'show texts also when stdout is not a terminal')
    .action(start(() => import('./annotate.js'), 'annotateCommand'))
    .addHelpText(
      'after',
      examples(
        'annotate last --rating 4',
        'annotate last --task late-refund --passed --note "the golden answer is too strict"',
        'annotate last --list',
      ),
    );
}

// In the order of the help.
export const EVIDENCE_VERBS = [
  addCompare,
  addBaseline,
  addRejudge,
  addJudge,
  addReplay,
  addAnnotate,
  addExport,
  addVerify,
];
