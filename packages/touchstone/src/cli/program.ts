import { Command, CommanderError } from 'commander';
import type { EnvFiles } from './files/env-file.js';
import { type Context, DEFAULT_DATA, type Io, type Settings, UsageError, writeJson } from './io.js';
import { printable } from './render/text.js';
import { didYouMean } from './suggest.js';
import type { Start } from './verb-options.js';
import { DEPLOYMENT_VERBS } from './verbs/deployments/deployment-verbs.js';
import { MOVING_VERBS } from './verbs/moving/moving-verbs.js';
import { PACK_VERBS } from './verbs/project/pack-verbs.js';
import { HOST_VERBS, PROJECT_VERBS, RUN_VERBS } from './verbs/project/verbs.js';
import { EVIDENCE_VERBS } from './verbs/runs/evidence-verbs.js';
import { STORE_VERBS } from './verbs/store/store-verbs.js';
import { SUITE_VERBS } from './verbs/suites/suite-verbs.js';
import { packageVersion } from './version.js';

export async function runProgram(argv: readonly string[], io: Io): Promise<number> {
  let exitCode = 0;
  const start: Start =
    (load, name) =>
    async (...typed) => {
      const command = typed.pop() as Command;
      checkKey(command);
      const given: Context = { io, settings: command.optsWithGlobals<Settings>() };
      if (takesEnvFiles(command)) await addEnvironment(given, command);
      const context = command.getOptionValue('otel') === true ? withOtel(given, command) : given;
      const verb = (await load())[name] as (context: Context, ...typed: unknown[]) => Promise<number>;
      exitCode = await verb(context, ...typed);
    };
  try {
    // The bare name is no mistake: it shows the help.
    const program = createProgram(io, start);
    checkHelp(program, argv);
    await program.parseAsync(argv.length === 0 ? ['--help'] : argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) return answerParser(error, io, argv.includes('--json'));
    const { reportError } = await import('./report-error.js');
    return reportError(error, io, argv.includes('--json'));
  }
}

const takesEnvFiles = ({ options }: Command): boolean =>
  options.some((option) => option.attributeName() === 'envFile');

async function addEnvironment(context: Context, command: Command): Promise<void> {
  const { readEnvFiles } = await import('./files/env-file.js');
  const named = command.getOptionValue('envFile') as EnvFiles;
  // A verb that has no way to leave `.env` out does not read it. What it writes to stderr is its log.
  const isForPeople = command.options.some((option) => option.long === '--no-env-file');
  readEnvFiles(context, named ?? (isForPeople ? undefined : false), isForPeople);
}

/** The flag is the variable, for one command. */
function withOtel({ io, settings }: Context, command: Command): Context {
  if (command.getOptionValue('host') !== undefined)
    throw new UsageError(
      '--otel is about runs of this process; another host decides by itself what it sends.',
      'Leave --otel out, and start that host with it: touchstone serve --otel',
    );
  return { settings, io: { ...io, env: { ...io.env, TOUCHSTONE_OTEL: '1' } } };
}

/** A key is for a host: without one it would have no effect. */
function checkKey(command: Command): void {
  if (command.getOptionValueSource('keyEnv') !== 'cli' || command.getOptionValue('host') !== undefined)
    return;
  throw new UsageError(
    '--key-env names the key for another host.',
    'Add --host <url>, or leave --key-env out.',
  );
}

/** The parser has already written what is wrong, for people; asking for help is not wrong. */
function answerParser({ exitCode, code, message }: CommanderError, io: Io, json: boolean): number {
  if (exitCode === 0) return 0;
  const words = code === 'commander.help' ? 'A verb is missing.' : message.replace(/^error: /, '');
  if (json) writeJson(io, { exitCode: 2, error: { code: 'cli_error', message: words } });
  return 2;
}

/** The parser would answer with all of the help, and not say why. */
function checkHelp(program: Command, [first, verb]: readonly string[]): void {
  if (first !== 'help' || verb === undefined || verb.startsWith('-')) return;
  const verbs = program.commands.map((command) => command.name());
  if (verb === 'help' || verbs.includes(verb)) return;
  throw new UsageError(`There is no verb ${verb}.`, didYouMean(verb, verbs, 'Verbs'));
}

function createProgram(io: Io, start: Start): Command {
  const program = new Command('touchstone')
    .description(
      'Is this agent good enough to deploy? Runs evaluation suites against agents and keeps the evidence.',
    )
    .version(packageVersion(), '-V, --version', 'print the version')
    .option(
      '--config <file>',
      'configuration file (default: touchstone.config.json, .yaml or .ts, when there is one)',
    )
    .option('--data <dir>', 'folder that keeps runs', DEFAULT_DATA)
    .option('--json', 'write one JSON document to stdout', false)
    .option('--no-color', 'no colours')
    .helpOption('-h, --help', 'show help')
    .helpCommand('help [verb]', 'show help for a verb')
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: io.stdout.write,
      writeErr: io.stderr.write,
      // It repeats what was typed, which may hold anything.
      outputError: (text, write) => write(text.split('\n').map(printable).join('\n')),
      getOutHelpWidth: () => io.stdout.columns,
      getErrHelpWidth: () => io.stderr.columns,
    })
    .showHelpAfterError('Run "touchstone help" to see every verb, or "touchstone help <verb>" for one.')
    .exitOverride()
    .addHelpText('after', EXAMPLES);
  const verbs = [
    ...PROJECT_VERBS,
    ...MOVING_VERBS,
    ...PACK_VERBS,
    ...SUITE_VERBS,
    ...RUN_VERBS,
    ...EVIDENCE_VERBS,
    ...DEPLOYMENT_VERBS,
    ...STORE_VERBS,
    ...HOST_VERBS,
  ];
  for (const add of verbs) add(program, start);
  return program;
}

const EXAMPLES = `
Start here:
  $ touchstone init demo && cd demo
  $ touchstone run evals/first.suite.yaml

Exit codes: 0 passed · 1 bar missed, regression or denied · 2 bad input · 3 could not be judged · 4 stopped by a budget · 130 interrupted`;
