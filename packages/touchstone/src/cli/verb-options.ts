import { type Command, InvalidArgumentError, Option } from 'commander';
import { type Context, UsageError } from './io.js';

type Verb = (context: Context, ...typed: never[]) => Promise<number>;

/** The action of a verb: loads its module when the verb is called, and keeps the exit code for the end. */
export type Start = <Name extends string>(
  load: () => Promise<{ readonly [name in Name]: Verb }>,
  name: Name,
) => (...typed: unknown[]) => Promise<void>;

/** The end of a help text. */
export const examples = (...lines: readonly string[]): string =>
  `\n${lines.length > 1 ? 'Examples' : 'Example'}:\n${lines.map((line) => `  $ touchstone ${line}`).join('\n')}`;

/** For verbs whose agents and models may need variables that are kept in a file. */
export const withEnvFiles = (command: Command): Command =>
  command
    .option('--env-file <file>', 'read variables from this file instead of .env; may be repeated', several)
    .option('--no-env-file', 'read variables from no file');

/** Of verbs that execute runs. Where to, and what else, the variables of OpenTelemetry say. */
export const OTEL = [
  '--otel',
  'send traces and results by OpenTelemetry; its variables (OTEL_EXPORTER_OTLP_ENDPOINT, …) say where to',
] as const;

/** For verbs of a host: they read no file that they were not told of, because a host is not started by who works in a folder. */
export const withSecretFiles = (command: Command): Command =>
  command.option(
    '--env-file <file>',
    'read variables, such as secrets, from this file; may be repeated',
    several,
  );

/** What `--output` says of itself, whatever the verb. */
export const OUTPUT =
  'also write every task to a file: .jsonl, .csv, .html or .sarif; may be repeated; content only with --bodies';

/** The value of an option that may be repeated. */
export const several = (value: string, before: readonly string[] = []): readonly string[] => [
  ...before,
  value,
];

/** An option with one value that is given twice is a mistake: which of the two is meant cannot be told. */
export function refuseRepeats(command: Command, collecting: readonly unknown[]): Command {
  const seen = new Set<string>();
  for (const option of command.options) {
    const takesValue = option.required || option.optional;
    if (!takesValue || collecting.includes(option.parseArg)) continue;
    command.on(`option:${option.name()}`, () => {
      if (seen.has(option.name())) throw givenTwice(option);
      seen.add(option.name());
    });
  }
  return command;
}

const givenTwice = ({ long }: Option): UsageError =>
  new UsageError(`${long} is given more than once, and only one of them can count.`, `Give ${long} once.`);

// Where a promotion leads: options of `promote`, and of `run --promote`.

export const toOption = (when = ''): Option =>
  new Option('--to <state>', `${when}where to (default: active)`).choices(['test', 'staged', 'active']);

export const channelOption = (when = ''): Option =>
  new Option('--channel <channel>', `${when}put it on this channel`).choices(['stable', 'canary']);

export const WAIT = 'wait until people have agreed or not, at most so many seconds';

export function waitSeconds(value: string): number {
  const number = Number(value);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new InvalidArgumentError('Expected a whole number of seconds, 1 at least.');
}

export function percent(value: string): number {
  const [, digits] = /^(\d{1,3}(?:\.\d+)?) ?%?$/.exec(value) ?? [];
  if (digits !== undefined && Number(digits) <= 100) return Number(digits);
  throw new InvalidArgumentError('Expected a share in per cent, from 0 to 100.');
}

/** Lets a verb work on another host, with the key that an environment variable holds. */
export const addHost = (command: Command, does = 'on another host instead of in this process'): Command =>
  command
    .option('--host <url>', does)
    .option('--key-env <name>', 'environment variable that holds the API key for --host', 'TOUCHSTONE_KEY');

export const wholeNumber =
  (low: number, high: number) =>
  (value: string): number => {
    const number = Number(value);
    if (Number.isInteger(number) && number >= low && number <= high) return number;
    throw new InvalidArgumentError(`Expected a whole number from ${low} to ${high}.`);
  };

export function dollars(value: string): number {
  const number = Number(value.replace(/^\$/, ''));
  if (value.trim() !== '' && Number.isFinite(number) && number >= 0) return number;
  throw new InvalidArgumentError('Expected an amount in US dollars, e.g. 0.50.');
}
