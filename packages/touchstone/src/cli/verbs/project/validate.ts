import { resolve } from 'node:path';
import { type Issue, isHostError } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { plural } from '@touchstone/sdk/view';
import {
  type CheckedAgent,
  type CheckedDefinition,
  checkDefinitionFile,
  checkSuiteFile,
} from '../../files/check-suite.js';
import { definitionForm } from '../../files/definition-file.js';
import { displayPath, readText } from '../../files/local-files.js';
import type { PlacedIssue } from '../../files/locate-issues.js';
import { SUITE_NAMES, suiteFiles } from '../../files/suite-source.js';
import { openHost } from '../../host-session.js';
import { type Context, type ExitCode, type Io, UsageError, writeResult } from '../../io.js';
import { warningWords } from '../../render/compiled.js';
import { displayWidth, type Ink, printable, truncate } from '../../render/text.js';
import { renderIssues } from '../../report-error.js';
import type { Where } from '../../session.js';

/** What was found in one file. */
export type Checked = Partial<CheckedDefinition> & {
  readonly file: string;
  readonly issues: readonly PlacedIssue[];
  readonly suite?: string;
  readonly tasks?: number;
};

/** With `--host`, by the rules of that host. */
export async function validateCommand(
  context: Context,
  paths: readonly string[],
  where: Where,
): Promise<ExitCode> {
  const { io } = context;
  const client = where.host === undefined ? undefined : openHost(context, where.host, where.keyEnv);
  const files = paths.flatMap((path) => filesOf(path, io.cwd));
  const checked: Checked[] = [];
  for (const file of new Set(files)) checked.push(await checkFile(context, file, client));
  const valid = checked.every(isValid);
  writeResult(context, { valid, files: checked }, ({ ink }) => `${linesOf(io, checked, ink).join('\n')}\n`);
  return valid ? 0 : 2;
}

const isValid = ({ issues }: Checked): boolean => issues.length === 0;

function filesOf(path: string, cwd: string): readonly string[] {
  const files = suiteFiles(path, cwd);
  if (files && files.length > 0) return files;
  throw new UsageError(
    files ? `There is no suite file in ${path}.` : `There is no file or folder at ${path}.`,
    files
      ? SUITE_NAMES
      : 'Give a suite file, a folder of them or an agent definition, e.g. touchstone validate evals',
  );
}

/** Everything that keeps a suite file or a definition from being run. */
export async function checkFile(context: Context, path: string, client?: Client): Promise<Checked> {
  const { cwd } = context.io;
  const file = displayPath(path, cwd);
  try {
    if (definitionForm(path, cwd) !== undefined)
      return { file, issues: [], ...(await checkDefinitionFile(context, path, client)) };
    const { head } = await checkSuiteFile(path, cwd, client);
    return { file, issues: [], suite: `${head.suiteId}@${head.version}`, tasks: head.taskCount };
  } catch (error) {
    if (!isHostError(error)) throw error;
    const issues = error.details?.issues as readonly PlacedIssue[] | undefined;
    return { file, issues: issues ?? [{ pointer: '', message: error.message }] };
  }
}

function linesOf(io: Io, checked: readonly Checked[], ink: Ink): readonly string[] {
  const lines = checked.flatMap((one) => (isValid(one) ? validLines(one, ink) : issueLines(io, one, ink)));
  const wrong = checked.reduce((count, { issues }) => count + issues.length, 0);
  if (wrong === 0) return lines;
  const bad = checked.filter((one) => !isValid(one)).length;
  return [...lines, ink.red(`${plural(wrong, 'problem')} in ${plural(bad, 'file')}`)];
}

function validLines({ file, agents, suite, tasks = 0, warnings = [] }: Checked, ink: Ink): readonly string[] {
  const [first, ...more] = agents ? agents.map(agentWords) : [`${suite}, ${plural(tasks, 'task')}`];
  return [
    `${ink.green('✓')} ${printable(file)}  ${ink.dim(first ?? 'defines no agent')}`,
    ...more.map((words) => `  ${' '.repeat(displayWidth(printable(file)))}  ${ink.dim(words)}`),
    ...warnings.map((warning) => `  ${ink.yellow('!')} ${printable(warningWords(warning))}`),
  ];
}

function agentWords(agent: CheckedAgent): string {
  if ('suite' in agent) return `${agent.suite}, ${plural(agent.tasks, 'task')}`;
  return agent.unchecked === 'no profile'
    ? `${agent.agentId} carries no evaluation profile`
    : `${agent.agentId}: its dataset is elsewhere, so its contract was not compiled`;
}

/** The author's own line is quoted on the author's own terminal, and nowhere else. */
function issueLines(io: Io, { file, issues }: Checked, ink: Ink): readonly string[] {
  const lines = io.stdout.isTTY ? readText(resolve(io.cwd, file), file).split(/\r\n|\r|\n/) : [];
  const issueLine = (issue: PlacedIssue): readonly string[] => {
    const isHere = issue.line !== undefined && (issue.file ?? file) === file;
    const source = isHere ? lines[(issue.line ?? 1) - 1] : undefined;
    const quoted = source === undefined ? [] : [ink.dim(frame(source, issue, io.stdout.columns))];
    return [...renderIssues([issue], file), ...quoted];
  };
  return [`${ink.red('✗')} ${printable(file)}`, ...issues.flatMap(issueLine)];
}

/** `    12 | the line` with a caret under the column; a long line is cut so that the column stays visible. */
function frame(source: string, { line = 0, column = 1 }: Issue, columns: number): string {
  const gutter = `    ${line} | `;
  const room = Math.max(20, columns - gutter.length);
  const from = column > room ? column - Math.floor(room / 2) : 0;
  const text = truncate(printable(source.slice(from).replaceAll('\t', ' ')), room);
  return `${gutter}${text}\n${' '.repeat(gutter.length + column - 1 - from)}^`;
}
