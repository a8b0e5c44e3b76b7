import type { Json, JsonObject } from '@touchstone/protocol';
import { parse } from 'yaml';
import type { ImportItem } from '../../importers/index.js';
import { openTestCli, type TestCli } from './test-cli.js';

type Task = { readonly taskId: string; readonly expect: readonly Json[] } & JsonObject;

/** What an import left behind. */
export type ImportResult = {
  readonly cli: TestCli;
  readonly code: number;
  readonly out: string;
  readonly err: string;
  readonly items: readonly ImportItem[];
  readonly tasks: readonly Task[];
  readonly config: JsonObject;
};

/** Imports files into the folder `out` under the name `moved`. */
export async function importFiles(
  files: { readonly [name: string]: string | object },
  ...typed: string[]
): Promise<ImportResult> {
  const cli = openTestCli();
  for (const [name, content] of Object.entries(files)) cli.write(name, content);
  const done = await cli.run('import', ...typed, '-o', 'out', '--id', 'local.test.evals.moved');
  const read = (name: string): string | undefined =>
    cli.has(`out/${name}`) ? cli.read(`out/${name}`) : undefined;
  const report = JSON.parse(read('import-report.json') ?? '{"items":[]}') as Pick<ImportResult, 'items'>;
  const suite = parse(read('moved.suite.yaml') ?? 'tasks: []') as Pick<ImportResult, 'tasks'>;
  const config = JSON.parse(read('moved.config.json') ?? '{}') as JsonObject;
  return { cli, ...done, items: report.items, tasks: suite.tasks, config };
}

/** Rows as a file has them, one a line. */
export const lines = (rows: readonly object[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

/** What became of each thing that the report lists: `lost file:line what`. */
export const shownItems = ({ items }: Pick<ImportResult, 'items'>): readonly string[] =>
  items.map(({ severity, file, line, what }) => `${severity} ${file}:${line} ${what}`);

/** The score of each task, by the recorded answers or by an agent of the imported configuration. */
export async function scoresOf(
  { cli, config }: ImportResult,
  ...typed: string[]
): Promise<{ [taskId: string]: number }> {
  const chosen = typed.length > 0 ? typed : ['--answers', 'out/recorded.jsonl'];
  const withConfig = Object.keys(config).length > 0 ? ['--config', 'out/moved.config.json'] : [];
  const { out, err } = await cli.run('run', 'out/moved.suite.yaml', ...withConfig, ...chosen, '--json');
  const { summary } = JSON.parse(out) as {
    readonly summary?: { readonly tasks: readonly { taskId: string; score: number }[] };
  };
  if (!summary) throw new Error(`${out}${err}`);
  return Object.fromEntries(summary.tasks.map(({ taskId, score }) => [taskId, score]));
}
