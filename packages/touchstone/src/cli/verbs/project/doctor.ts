import type { Config } from '../../../app/index.js';
import { type Context, type ExitCode, type Out, writeResult } from '../../io.js';
import { type Ink, truncate, wrapWhole } from '../../render/text.js';
import { checkAgents, checkSafety, checkScorers, checkServers } from './health/agents.js';
import type { Finding } from './health/finding.js';
import { checkGates } from './health/gates.js';
import { checkConfig, checkDisk, checkNode, checkStore, checkSuites } from './health/machine.js';
import { checkModels } from './health/models.js';
import { checkDatasets, checkPacks } from './health/packs.js';
import { checkTelemetry } from './health/telemetry.js';

/** Looks at everything a run needs, and at the rest even when something is broken. */
export async function doctorCommand(context: Context): Promise<ExitCode> {
  const { findings, config } = await checkConfig(context);
  const checks: Finding[] = [checkNode(process.versions.node), ...findings, await checkDisk(context)];
  if (config) checks.push(await checkStore(context, config), ...(await checkParts(context, config)));
  const healthy = checks.every(({ state }) => state !== 'broken');
  writeResult(context, { healthy, checks }, ({ ink }) => renderFindings(checks, context.io.stdout, ink));
  return healthy ? 0 : 1;
}

async function checkParts(context: Context, config: Config): Promise<readonly Finding[]> {
  return [
    ...(await checkModels(config, context.io.env)),
    ...(await checkSafety(config)),
    ...checkDatasets(config, context.io.env),
    ...(await checkServers(context, config)),
    ...(await checkPacks(config)),
    ...(await checkAgents(context, config)),
    ...(await checkScorers(context, config)),
    ...(await checkSuites(config)),
    ...(await checkGates(config)),
    checkTelemetry(config, context.io.env),
  ];
}

function renderFindings(findings: readonly Finding[], { isTTY, columns }: Out, ink: Ink): string {
  const column = Math.max(...findings.map(({ name }) => name.length));
  const room = isTTY ? Math.max(30, columns - column - 6) : Number.POSITIVE_INFINITY;
  const lines = findings.flatMap(({ name, state, detail, hint }) => [
    // What is wrong is told to its end: the name that a person looks for may stand there.
    ...(state === 'ok' ? [truncate(detail, room)] : wrapWhole(detail, room)).map((line, at) =>
      at === 0
        ? `  ${markOf(state, ink)} ${name.padEnd(column)}  ${line}`
        : `    ${' '.repeat(column)}  ${line}`,
    ),
    ...(hint ? [`    ${' '.repeat(column)}  ${ink.cyan(hint)}`] : []),
  ]);
  return `${lines.join('\n')}\n`;
}

const markOf = (state: Finding['state'], ink: Ink): string =>
  state === 'ok' ? ink.green('✓') : state === 'warning' ? ink.yellow('!') : ink.red('✗');
