import { newsOf, outcomeOf, refOf } from '@touchstone/sdk/view';
import type { ExportedRun, RefusedSuite } from './document.js';
import { failureWords } from './junit-tasks.js';

/** Where the tasks of a run stand in the repository. */
export type SuiteLines = { readonly file: string; readonly lines: ReadonlyMap<string, number> };

/** What GitHub Actions is to show of one suite. */
export type GithubRun = { readonly run: ExportedRun; readonly place?: SuiteLines | undefined };

/** A job page lists so many; more would hide each other. */
const MOST_ANNOTATIONS = 10;

/** Workflow commands that mark failed tasks at their lines, what newly fails first. A run that passed has none. */
export function githubAnnotations(
  runs: readonly GithubRun[],
  refused: readonly RefusedSuite[],
): readonly string[] {
  return [...refused.map(refusedCommand), ...runs.flatMap(runCommands)].slice(0, MOST_ANNOTATIONS);
}

const refusedCommand = ({ suite, error }: RefusedSuite): string =>
  command({ title: `${suite.ref} was not run` }, `${error.code}: ${error.message}`);

function runCommands({ run, place }: GithubRun): readonly string[] {
  if (outcomeOf(run) === 'passed') return [];
  const title = refOf(run.suite);
  if (run.error) return [command({ file: place?.file, title }, `${run.error.code}: ${run.error.message}`)];
  const fresh = new Set(newsOf(run));
  const inOrder = [
    ...run.failures.filter(({ taskId }) => fresh.has(taskId)),
    ...run.failures.filter(({ taskId }) => !fresh.has(taskId)),
  ];
  return inOrder.slice(0, MOST_ANNOTATIONS).map((failure) => {
    const { taskId } = failure;
    const news = fresh.has(taskId) ? 'newly fails, ' : '';
    const line = place?.lines.get(taskId);
    return command({ file: place?.file, line, title: `${title}: ${taskId}` }, news + failureWords(failure));
  });
}

type Properties = { readonly [name: string]: string | number | undefined };

function command(properties: Properties, message: string): string {
  const named = Object.entries(properties).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${escapeProperty(String(value))}`],
  );
  return `::error ${named.join(',')}::${escapeData(message)}`;
}

/** What would end a workflow command, or begin another one. */
export const escapeData = (text: string): string =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const escapeProperty = (text: string): string =>
  escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** The text with so many bytes at most, cut between lines. */
export function cutText(text: string, mostBytes: number): string {
  if (Buffer.byteLength(text) <= mostBytes) return text;
  const note = '\n\n… and more: it was cut to the size that GitHub takes.\n';
  if (mostBytes < Buffer.byteLength(note)) return '';
  const room = Buffer.from(text).subarray(0, Math.max(0, mostBytes - Buffer.byteLength(note)));
  const whole = room.toString('utf8');
  return whole.slice(0, Math.max(0, whole.lastIndexOf('\n'))) + note;
}

/** The first line of the comment on a pull request, by which the next run finds it again. */
export const commentMarker = (argument: string): string =>
  `<!-- touchstone run ${argument.replaceAll(/[^A-Za-z0-9._/@ -]/g, '_').replaceAll('--', '__')} -->`;
