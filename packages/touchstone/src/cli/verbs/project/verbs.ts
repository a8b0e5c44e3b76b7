import { RUN_STATUSES } from '@touchstone/protocol';
import { PLAIN_CONDITIONS } from '@touchstone/sdk/view';
import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import {
  addHost,
  channelOption,
  dollars,
  examples,
  OTEL,
  OUTPUT,
  percent,
  refuseRepeats,
  type Start,
  several,
  toOption,
  WAIT,
  waitSeconds,
  wholeNumber,
  withEnvFiles,
  withSecretFiles,
} from '../../verb-options.js';
import { addMcp, addServe, addView, addWorker } from './serve-verbs.js';

// What each verb accepts, and nothing of what it does: an action loads its command when it is called.

const collect = (value: string, before: readonly string[] = []): string[] => [...before, ...list(value)];
const list = (value: string): string[] =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

export function share(value: string): number {
  const number = Number(value);
  if (value.trim() !== '' && number >= 0 && number <= 1) return number;
  throw new InvalidArgumentError('Expected a number from 0 to 1, e.g. 0.02.');
}

function addInit(program: Command, start: Start): void {
  program
    .command('init')
    .summary('make a small working project')
    .description('Writes a configuration, an agent and a suite that pass as they are. Overwrites nothing.')
    .argument('[dir]', 'folder to write to', '.')
    .option('--adversarial', 'add the starter adversarial suite, also to a project that is there already')
    .addOption(new Option('--ci <service>', 'add a workflow that runs the suites').choices(['github']))
    .action(start(() => import('./init.js'), 'initCommand'))
    .addHelpText('after', examples('init demo', 'init demo --ci github', 'init --adversarial'));
}

function addSchema(program: Command, start: Start): void {
  program
    .command('schema')
    .summary('print the JSON Schema of suite files, of judges or of the configuration')
    .description('Prints the JSON Schema that an editor checks a file with.')
    .addArgument(new Argument('<name>', 'what the schema is of').choices(['suite', 'config', 'judge']))
    .action(start(() => import('./schema.js'), 'schemaCommand'))
    .addHelpText('after', examples('schema suite > suite.schema.json', 'schema config'));
}

function addCompletion(program: Command, start: Start): void {
  const load = async () => {
    const { completionOf } = await import('./completion.js');
    return { completionCommand: completionOf(program) };
  };
  program
    .command('completion')
    .summary('print a script that completes commands in a shell')
    .description('Prints a script that completes verbs, options and their values in a shell.')
    .addArgument(new Argument('<shell>', 'the shell').choices(['bash', 'zsh', 'fish']))
    .action(start(load, 'completionCommand'))
    .addHelpText(
      'after',
      examples(
        'completion bash > ~/.local/share/bash-completion/completions/touchstone',
        'completion zsh > ~/.zfunc/_touchstone',
        'completion fish > ~/.config/fish/completions/touchstone.fish',
      ),
    );
}

export const slaOption = (): Option =>
  new Option(
    '--sla <policy>',
    'of a definition: whether the expected latency is a gate, or only reported (default: gate)',
  ).choices(['gate', 'warn']);

function addRun(program: Command, start: Start): void {
  const most = Number.MAX_SAFE_INTEGER;
  const run = program
    .command('run')
    .summary('run a suite, a pack or the contract of a definition and print the scorecard')
    .description(
      'Runs a suite against an agent, the suites of a pack against its agents, or an agent against the test contract that its definition carries; keeps every event, and prints the scorecard.',
    )
    .argument(
      '[suite]',
      'a suite file, a folder of them, an installed suite (id or id@version), a suite of a registry (id@range, such as acme.shop.evals.desk@^1), a pack (archive, folder, or name), or an agent definition',
    )
    .option(
      '--agent <agent>',
      'an agent known here (id or id@version), a module file, or a URL; repeated: a run with each, side by side',
      several,
    )
    .option(
      '--registry <url>',
      'of a suite given as id@range: the registry it comes from (default: "registries" of the configuration)',
    )
    .option('--only-agent <id>', 'of a definition with several agents, only this one')
    .option('--suite-name <name>', "of a definition: last part of the suite id (default: the agent's name)")
    .option('--contract <file>', 'of a compiled suite file: its contract (default: the one beside it)')
    .addOption(slaOption())
    .option(
      '--sample <n>',
      'of a definition: run so many rows of its dataset, always the same',
      wholeNumber(1, most),
    )
    .option('--allow-unpinned', 'use a remote dataset of a published definition although nothing pins it')
    .option('--modes <modes>', 'only these modes, separated by commas', list)
    .option('--only <tasks>', 'only these tasks, separated by commas, * for any; may be repeated', collect)
    .option(
      '--tag <tags>',
      'only tasks with one of these tags, separated by commas; may be repeated',
      collect,
    )
    .option('--failed [run]', 'only what failed in the newest run of the suite and agent, or in this run')
    .option('--first <n>', 'only so many tasks from the beginning', wholeNumber(1, most))
    .option('--repeats <n>', 'run every task so many times', wholeNumber(1, 100))
    .option('--concurrency <n>', 'tasks at a time', wholeNumber(1, 256))
    .option('--timeout <ms>', 'stop the run after so many milliseconds', wholeNumber(1, most))
    .option('--budget <usd>', 'start no further task once so much is spent', dollars)
    .option('--allow-unpriced', 'with --budget: run although the price of a model is unknown')
    .option(
      '--model <model>',
      'ask this model: provider/model, or a name of "models" in the configuration; repeated: a run with each',
      several,
    )
    .option(
      '--param <name=value>',
      'a parameter of the model, such as temperature=0; may be repeated',
      several,
    )
    .option(
      '--prompt <file>',
      'of an openai agent: ask with the prompt of this file in place of its own; repeated: a run with each',
      several,
    )
    .option('--all', 'of runs side by side: show every task, not only those that differ')
    .option('--cache', 'take model answers of earlier runs for the same questions; no evidence for a gate')
    .option(
      '--record <file>',
      'write what live tools answered, or what a simulated user said, as a new suite file',
    )
    .option('--answers <file>', 'score the answers of a JSONL file, one task a line; no agent is called')
    .option(
      '--baseline <run>',
      'compare with a run: last, blessed, a run id, a scorecard file, or a folder of them',
    )
    .option('--common', 'with --baseline: compare the tasks that are the same in both suites')
    .option(
      '--confirm <n>',
      'with --baseline: run each newly failing task so many more times; it counts when most attempts fail',
      wholeNumber(1, 100),
    )
    .option('--tolerance <drop>', 'with --baseline: a drop up to this is no regression', share)
    .option('--allow-judge-mismatch', 'compare with a run that another judge has scored')
    .option('--conclusive', 'end with 3 when chance alone could explain the result')
    .option(
      '--until-conclusive',
      'run the suite in rounds of some tasks, and stop as soon as the verdict is known',
    )
    .option(
      '--round <n>',
      'with --until-conclusive: tasks of a round (default: a tenth of them, at least 16)',
      wholeNumber(1, 100_000),
    )
    .addOption(
      new Option(
        '--fail-on <conditions>',
        'what makes the run fail, separated by commas; finding:high for a severity (default: bar,regression)',
      )
        .choices([...PLAIN_CONDITIONS, 'finding', 'none'])
        .argParser(list),
    )
    .option('--resume [runId]', 'continue an interrupted run (default: the newest one)')
    .option('--dry-run', 'tell what would run and what it may cost; runs and keeps nothing')
    .option('--watch', 'run again whenever the suite, the agent or the configuration changes')
    .option('--junit <file>', 'also write a JUnit report')
    .addOption(
      new Option(
        '--junit-failures <which>',
        'with --junit: which failed tasks are failures; by default those that decide, others are skipped',
      ).choices(['decisive', 'all']),
    )
    .option('--markdown <file>', 'also write a Markdown summary; - writes it to stdout instead')
    .option('--github', 'tell GitHub: step summary, outputs, annotations, one comment (default: in its jobs)')
    .option('--no-github', 'tell GitHub nothing')
    .option('--output <file>', OUTPUT, several)
    .option('--bodies', 'show expected and actual answers also when stdout is not a terminal, and in reports')
    .option(...OTEL)
    .option('--judge <file|ref>', 'judge by this portable judge: its file, or <judgeId>@<version>')
    .option('--allow-target-mismatch', 'run a suite made for another agent')
    .option('--promote', 'if it passes, promote the agent on the evidence of this run')
    .addOption(toOption('with --promote: '))
    .addOption(channelOption('with --promote: '))
    .option('--canary <percent>', 'with --promote: give it only this share of the traffic', percent)
    .option('--wait [seconds]', `with --promote: ${WAIT}`, waitSeconds);
  withEnvFiles(addHost(run, 'run on another host instead of in this process'));
  refuseRepeats(run, [several, collect])
    .action(start(() => import('../run/run.js'), 'runCommand'))
    .addHelpText('after', RUN_EXAMPLES);
}

const RUN_EXAMPLES = `
Examples:
  $ touchstone run evals/refunds.suite.yaml --agent ./agent.mjs
  $ touchstone run evals --agent local.acme.support --junit report.xml
  $ touchstone run evals --baseline last --markdown comment.md
  $ touchstone run evals/refunds.suite.yaml --only late-refund --watch
  $ touchstone run vendor.acme.support-1.0.0.tgz
  $ touchstone run agent.json
  $ touchstone run agent.json --agent ./agent.mjs --sla warn
  $ touchstone run evals/refunds.suite.yaml --modes live-shadow --record evals/recorded.suite.yaml
  $ touchstone run evals/refunds.suite.yaml --agent ./before.mjs --agent ./after.mjs --output report.html
  $ touchstone run --resume
  $ touchstone run evals/refunds.suite.yaml --agent local.acme.support@1.1.0 --promote --channel stable
  $ touchstone run evals/refunds.suite.yaml --agent local.acme.support --host https://evals.example --key-env EVALS_KEY`;

function addValidate(program: Command, start: Start): void {
  addHost(program.command('validate'), 'check them by the rules of another host')
    .summary('check suite files and agent definitions')
    .description(
      'Checks suite files and agent definitions, and lists everything that is wrong, each with its line. The contract of a definition is compiled when its dataset is at hand.',
    )
    .argument('<paths...>', 'suite files, folders of them, or agent definitions')
    .action(start(() => import('./validate.js'), 'validateCommand'))
    .addHelpText('after', examples('validate evals', 'validate evals/refunds.suite.yaml --json'));
}

function addRuns(program: Command, start: Start): void {
  addHost(program.command('runs'), 'list the runs of another host')
    .summary('list runs, newest first')
    .description('Lists the runs kept here, newest first.')
    .option('--agent <id>', 'only runs of this agent')
    .option('--suite <id>', 'only runs of this suite')
    .addOption(new Option('--status <status>', 'only runs in this state').choices(RUN_STATUSES))
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1000), 20)
    .action(start(() => import('../runs/runs.js'), 'runsCommand'))
    .addHelpText('after', examples('runs', 'runs --agent local.acme.support --status failed'));
}

function addShow(program: Command, start: Start): void {
  addHost(program.command('show'), 'show a run of another host')
    .summary('show a run, a task or the events of a run')
    .description('Shows what is recorded of a run.')
    .argument('[runId]', 'a run, "last" for the newest one, "last~1" for the one before it', 'last')
    .option('--task <taskId>', 'one task with its input, calls and answer')
    .option('--failed', 'every failed task')
    .option('--all', 'every task, one line each')
    .option('--events', 'the event log; with --json as one array')
    .option('--baseline <runId>', 'compare with this run instead of the one it was made with')
    .option('--common', 'with --baseline: compare the tasks that are the same in both suites')
    .option('--allow-judge-mismatch', 'compare with a run that another judge has scored')
    .option('--markdown <file>', 'also write a Markdown summary; - writes it to stdout instead')
    .option('--output <file>', OUTPUT, several)
    .option('--bodies', 'show content also when stdout is not a terminal')
    .action(start(() => import('../runs/show.js'), 'showCommand'))
    .addHelpText(
      'after',
      examples(
        'show last --failed',
        'show last --task late-refund',
        'show last --markdown -',
        'show last --output results.csv --output report.html --bodies',
      ),
    );
}

function addKeys(program: Command, start: Start): void {
  const keys = program
    .command('keys')
    .summary('make, list and revoke API keys')
    .description('API keys for "touchstone serve".');
  withSecretFiles(keys.command('create'))
    .description('Makes a key and prints it once. Only its hash is kept.')
    .option('--tenant <name>', 'tenant the key acts for', 'local')
    .option('--workspace <name>', 'workspace the key acts for', 'main')
    .option('--principal <id>', 'who holds the key', 'operator')
    .option('--role <roles>', 'roles, separated by commas; may be repeated', collect)
    .option('--expires <time>', 'lifetime, e.g. 12h, 30d')
    .action(start(() => import('./keys.js'), 'createKeyCommand'))
    .addHelpText('after', examples('keys create --tenant acme --principal ci --role runner --expires 90d'));
  addHost(
    withSecretFiles(keys.command('list')).description('Lists keys by the beginning of their hash.'),
    'list the keys of your tenant on another host',
  ).action(start(() => import('./keys.js'), 'listKeysCommand'));
  withSecretFiles(keys.command('revoke'))
    .description('Makes a key worthless.')
    .argument('<hash>', 'beginning of its hash, as "touchstone keys list" shows it')
    .action(start(() => import('./keys.js'), 'revokeKeyCommand'));
}

function addDoctor(program: Command, start: Start): void {
  withEnvFiles(
    program
      .command('doctor')
      .summary('check this machine, the configuration and its agents')
      .description(
        'Checks what a run needs: Node, disk space, the store, the configuration, and its models, tools, packs, agents and suites. Asks no model and invokes no agent.',
      ),
  )
    .action(start(() => import('./doctor.js'), 'doctorCommand'))
    .addHelpText('after', examples('doctor --config touchstone.config.json'));
}

// In the order of the help.
export const PROJECT_VERBS = [addInit, addRun, addView, addServe, addWorker, addValidate];
export const RUN_VERBS = [addRuns, addShow];
export const HOST_VERBS = [addMcp, addKeys, addDoctor, addSchema, addCompletion];
