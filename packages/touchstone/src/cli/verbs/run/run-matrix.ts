import { defined, type RunComparison, type RunId } from '@touchstone/protocol';
import type { Client } from '@touchstone/sdk';
import { type Matrix, matrixOf } from '@touchstone/sdk/view';
import { openSources } from '../../files/pack-source.js';
import type { SuiteSource } from '../../files/suite-source.js';
import { type Context, lookOf } from '../../io.js';
import { renderMatrix } from '../../render/compare/matrix.js';
import { type Session, withSession } from '../../session.js';
import { agentIdOf } from './agent-choice.js';
import { nameOf, runEach, runOne } from './attempts.js';
import { writeOutputs } from './output-files.js';
import { STDOUT, tellResult } from './report.js';
import type { Attempt } from './result.js';
import { driverOf } from './run-driver.js';
import type { Variant } from './variants.js';

/** One suite, its runs, and what they come to side by side. */
export type MatrixRun = { readonly attempts: readonly Attempt[]; readonly matrix: Matrix };

/** Every variant runs every suite: suite by suite, the variants in the given order. */
export async function runMatrix(
  context: Context,
  suite: string,
  variants: readonly Variant[],
): Promise<readonly MatrixRun[]> {
  const [first] = variants;
  const options = first?.options ?? {};
  return withSession(context, options, 'work', async (session) => {
    const done: MatrixRun[] = [];
    for (const { name, parts } of await openParts(context, session, suite, variants)) {
      const one = await runSuite(context, session, name, parts);
      done.push(one);
      if (one.attempts.some((attempt) => 'result' in attempt && attempt.result.interrupted)) break;
    }
    const attempts = done.flatMap((one) => one.attempts);
    await writeOutputs(context, session, attempts, options, {
      matrices: done.map(({ matrix }) => matrix),
    });
    return done;
  });
}

type Part = { readonly source: SuiteSource; readonly variant: Variant };

/** All is read, and every agent found, before anything runs. What a pack runs depends on the agent that is named. */
async function openParts(
  context: Context,
  session: Session,
  suite: string,
  variants: readonly Variant[],
): Promise<readonly { readonly name: string; readonly parts: readonly Part[] }[]> {
  const groups = new Map<string, Part[]>();
  for (const variant of variants) {
    const { agent } = variant.options;
    for (const source of await openSources(context, session, suite, variant.options)) {
      const isFree = source.kind === 'file' || source.kind === 'reference';
      if (isFree && agent !== undefined) await agentIdOf(session, agent, context.io.cwd);
      const name = nameOf(source);
      groups.set(name, [...(groups.get(name) ?? []), { source, variant }]);
    }
  }
  return [...groups].map(([name, parts]) => ({ name, parts }));
}

async function runSuite(
  context: Context,
  session: Session,
  name: string,
  parts: readonly Part[],
): Promise<MatrixRun> {
  const driver = driverOf(context.io, session);
  const variantOf = new Map(parts.map(({ source, variant }) => [source, variant]));
  const optionsOf = (source: SuiteSource) => variantOf.get(source)?.options ?? {};
  const attempts = await runEach(
    context,
    parts.map(({ source }) => source),
    (source) => runOne(context, session, driver, source, optionsOf(source)),
    (result, source) => tellResult(context, result, { ...optionsOf(source), name: result.runId }),
  );
  const matrix = await layOut(session.client, name, parts, attempts);
  tellMatrix(context, matrix, parts[0]?.variant);
  return { attempts, matrix };
}

async function layOut(
  client: Client,
  suite: string,
  parts: readonly Part[],
  attempts: readonly Attempt[],
): Promise<Matrix> {
  const views = parts.map((_, at) => {
    const attempt = attempts[at];
    return attempt && 'result' in attempt ? attempt.result : undefined;
  });
  const [first] = views;
  const columns = [];
  for (const [at, { variant }] of parts.entries()) {
    const view = views[at];
    const comparison =
      at > 0 && first?.summary && view?.summary
        ? await compareWith(client, first.runId, view.runId, variant)
        : undefined;
    columns.push({ name: variant.name, options: variant.choices, ...defined({ view, comparison }) });
  }
  return matrixOf(suite, columns);
}

const compareWith = (
  client: Client,
  before: RunId,
  after: RunId,
  { options: { tolerance, allowJudgeMismatch = false } }: Variant,
): Promise<RunComparison> => client.runs.compare(defined({ before, after, allowJudgeMismatch, tolerance }));

/** With `--json` or `--markdown -` the matrix is a part of what is written there. */
function tellMatrix(context: Context, matrix: Matrix, variant: Variant | undefined): void {
  const { markdown, all = false } = variant?.options ?? {};
  if (context.settings.json || markdown === STDOUT) return;
  context.io.stdout.write(renderMatrix(matrix, { ...lookOf(context), all }));
}
