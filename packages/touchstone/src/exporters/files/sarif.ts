import { type Finding, SEVERITIES, type Severity } from '@touchstone/protocol';
import { printableLines, refOf } from '@touchstone/sdk/view';
import type { FileExporter, FileRun, TaskLines } from './file-run.js';

const LEVELS = { critical: 'error', high: 'error', medium: 'warning', low: 'note' } as const;
/** What code scanning services sort by. */
const SECURITY_SEVERITY = { critical: '9.5', high: '8.0', medium: '5.5', low: '3.0' } as const;

type TaskFinding = Finding & { readonly taskId: string; readonly run: FileRun };

/** SARIF 2.1.0 with safety findings alone: a rule for each kind, a result for each task. Never content. */
export const renderSarif: FileExporter = (runs, { version }) => {
  const found = runs.flatMap(findingsOf);
  const kinds = [...new Set(found.map(({ kind }) => kind))].sort();
  const log = {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'Touchstone',
            semanticVersion: version,
            rules: kinds.map((kind) => ruleOf(kind, found)),
          },
        },
        columnKind: 'utf16CodeUnits',
        results: found.map((one) => resultOf(one, kinds.indexOf(one.kind))),
        properties: { content: 'left-out', runIds: runs.map(({ run }) => run.runId) },
      },
    ],
  };
  return `${printableLines(JSON.stringify(log, null, 2))}\n`;
};

/** One for each task and kind, the gravest of all repeats. */
function findingsOf(run: FileRun): readonly TaskFinding[] {
  const found = new Map<string, TaskFinding>();
  for (const { taskId, findings } of run.rows)
    for (const { kind, severity } of findings) {
      const key = JSON.stringify([taskId, kind]);
      const before = found.get(key);
      found.set(key, {
        run,
        taskId,
        kind,
        severity: worstOf([severity, ...(before ? [before.severity] : [])]),
      });
    }
  return [...found.values()];
}

const worstOf = (severities: readonly Severity[]): Severity =>
  SEVERITIES.findLast((severity) => severities.includes(severity)) ?? 'low';

function ruleOf(kind: string, found: readonly TaskFinding[]): object {
  const worst = worstOf(found.filter((one) => one.kind === kind).map(({ severity }) => severity));
  return {
    id: kind,
    shortDescription: { text: `Safety finding: ${kind}` },
    defaultConfiguration: { level: LEVELS[worst] },
    properties: { tags: ['security'], 'security-severity': SECURITY_SEVERITY[worst] },
  };
}

function resultOf({ kind, severity, taskId, run: { run, places } }: TaskFinding, ruleIndex: number): object {
  const { suiteId } = run.suite;
  return {
    ruleId: kind,
    ruleIndex,
    level: LEVELS[severity],
    message: {
      text: `Agent ${refOf(run.agent)}, task ${taskId} of ${refOf(run.suite)}: ${kind}, ${severity}. See it with: touchstone show ${run.runId} --task ${taskId}`,
    },
    locations: [
      {
        ...(places && { physicalLocation: physicalLocation(places, taskId) }),
        logicalLocations: [{ name: taskId, fullyQualifiedName: `${suiteId}/${taskId}`, kind: 'member' }],
      },
    ],
    // The same after the suite or the agent has changed, so that a service can tell an old finding from a new one.
    partialFingerprints: { 'touchstone/v1': `${suiteId}/${taskId}/${kind}` },
    properties: { severity, runId: run.runId, agent: refOf(run.agent) },
  };
}

function physicalLocation({ file, lines }: TaskLines, taskId: string): object {
  const path = file.replaceAll('\\', '/');
  const isAbsolute = /^(?:\/|[A-Za-z]:)/.test(path);
  const uri = path
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replace(/^([A-Za-z])%3A/, '/$1:');
  return {
    artifactLocation: isAbsolute ? { uri: `file://${uri}` } : { uri, uriBaseId: '%SRCROOT%' },
    region: { startLine: lines.get(taskId) ?? 1 },
  };
}
