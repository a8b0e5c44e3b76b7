import type { EvalReport, GateStatus, ReportedRegression } from '@touchstone/protocol';
import {
  adjustedWords,
  baselineWords,
  changeOf,
  changesInOrder,
  contractWords,
  correctedWords,
  detectableWords,
  doubtOf,
  duration,
  EXPLORATORY,
  meanBeside,
  metWords,
  percent,
  plural,
  printable,
  type RunView,
  range,
  refOf,
  regressionWords,
  remarksOf,
  repeatWords,
  requiredWords,
  score,
  signed,
  slaWords,
  slicesInOrder,
  usd,
  whole,
} from '@touchstone/sdk/view';

/** Nothing in a cell may end the cell, the row or the table, or hide from its reader. */
export const cell = (text: string): string =>
  printable(text.replace(/\s+/g, ' ')).replace(/[\\|`<>*_[\]]/g, '\\$&');

/** The code of an error, which programs look for. */
export const errorCode = (name: string): string => (/^\w+$/.test(name) ? name : cell(name));

/** A name as code, when it is one that cannot end the code. */
export const code = (name: string): string => (/^[\w.@:/+~-]+$/.test(name) ? `\`${name}\`` : cell(name));

export function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return '';
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Folded away until the reader opens it. Without the empty lines what is inside is not read as Markdown. */
export const folded = (summary: string, content: string): string =>
  content === '' ? '' : `<details><summary>${summary}</summary>\n\n${content}\n\n</details>`;

const IDS = 50;

/** Names one after the other, the rest of a long list counted. */
export const names = (ids: readonly string[]): string =>
  ids.slice(0, IDS).map(code).join(', ') + (ids.length > IDS ? ` … and ${whole(ids.length - IDS)} more` : '');

const SYMBOLS: { readonly [status in GateStatus]: string } = {
  pass: '✅',
  fail: '❌',
  warn: '⚠️',
  error: '❔',
};

const meanWords = (mean: number | undefined): string => (mean === undefined ? '–' : score(mean));

/** The gates of a contract, as a table for a pull request. */
export function contractParts({ contract }: RunView): readonly string[] {
  if (!contract) return [];
  const rows = contract.criteria.map((gate) => [
    code(gate.id),
    gate.strict ? 'strict' : 'advisory',
    metWords(gate),
    requiredWords(gate),
    meanWords(meanBeside(gate)),
    SYMBOLS[gate.status],
  ]);
  const { sla } = contract;
  const words = contractWords(contract);
  return [
    table(['gate', '', 'met', 'required', 'mean', ''], rows),
    sla ? `${SYMBOLS[sla.status]} ${cell(slaWords(sla))}` : '',
    words === undefined ? '' : `**${cell(words)}**`,
  ];
}

const ROWS = 50;

/** What changed since the baseline, worst first; nothing without one. */
export function comparisonParts(result: RunView): string[] {
  const regression = result.report?.regression;
  if (!regression) return [];
  const failed = result.failures.filter(({ unscored }) => !unscored).map(({ taskId }) => taskId);
  const fresh = new Set<string>(regression.toFail);
  return [
    `**${cell(regressionWords(regression))}**, 95 % interval of the difference ${signed(regression.interval[0])} to ${signed(regression.interval[1])}. Baseline: run ${baselineText(result)}.`,
    worseTable(regression),
    listOf('Now passing', regression.toPass),
    listOf(
      'Other failures',
      failed.filter((taskId) => !fresh.has(taskId)),
    ),
    listOf('Not scored', result.unscored),
    ...remarksOf(regression),
    numberTable(result, regression),
    detectableWords(regression),
  ];
}

function baselineText(result: RunView): string {
  const [runId = '', ...facts] = baselineWords(result);
  return [code(runId), ...facts.map(cell)].join(', ');
}

const listOf = (title: string, ids: readonly string[]): string =>
  ids.length === 0 ? '' : `${title} (${whole(ids.length)}): ${names(ids)}`;

function worseTable(regression: ReportedRegression): string {
  const worse = changesInOrder(regression).filter(({ before, after }) => after < before);
  const rows = worse
    .slice(0, ROWS)
    .map(({ taskId, before, after, side }) => [
      code(taskId),
      `${score(before)} → ${score(after)}`,
      side ? '❌ now fails' : 'lower',
    ]);
  const more = worse.length > ROWS ? `\n\n… and ${whole(worse.length - ROWS)} more` : '';
  return table(['task', 'before → after', ''], rows) + more;
}

function numberTable(result: RunView, regression: ReportedRegression): string {
  const { baseline, scoreDelta, cost, latency } = regression;
  const now = result.report?.aggregate;
  const moved = (name: string, before: number, after: number, show: (value: number) => string): string[] => [
    name,
    show(before),
    show(after),
    changeOf(before, after),
  ];
  return table(
    ['', 'before', 'now', 'change'],
    [
      ...(now
        ? [
            [
              'score',
              score(baseline.score),
              `${score(now.score)} (95 %: ${range(now.interval)})`,
              signed(scoreDelta),
            ],
          ]
        : []),
      ...(cost ? [moved('cost', cost.beforeUsd, cost.afterUsd, usd)] : []),
      ...(latency ? [moved('p50 latency', latency.before.p50Ms, latency.after.p50Ms, duration)] : []),
      ...(latency ? [moved('p95 latency', latency.before.p95Ms, latency.after.p95Ms, duration)] : []),
    ],
  );
}

/** How sure the score is, and what people have corrected of it. */
export function certaintyParts(result: RunView): string[] {
  const { report } = result;
  if (!report) return [];
  const repeats = repeatWords(report);
  return [
    doubtOf(result) ?? '',
    repeats === undefined ? '' : `${sentence(repeats)}.`,
    ...overrideParts(report),
    correctedWords(report) ?? '',
  ];
}

function overrideParts({ adjusted }: EvalReport): string[] {
  if (!adjusted) return [];
  const rows = adjusted.overrides.map(({ taskId, before, after, by }) => [
    code(taskId),
    `${score(before.score)} → ${score(after.score)}`,
    cell(by),
  ]);
  const title = `${adjustedWords(adjusted)}, ${adjusted.passed ? 'passed' : 'failed'}`;
  return [folded(sentence(title), table(['task', 'corrected', 'by'], rows))];
}

const sentence = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** What the score is made of, folded away. */
export function compositionParts({ report }: RunView): string[] {
  const { criteria = [], slices = [] } = report ?? {};
  const criterionRows = criteria.map(({ id, applicable, met, weight, agreement }) => [
    code(id),
    percent(met),
    whole(applicable),
    String(Number(weight.toPrecision(3))),
    agreement === undefined ? '–' : percent(agreement),
  ]);
  const sliceRows = slicesInOrder(slices).map((slice) => [
    code(slice.name),
    whole(slice.tasks),
    score(slice.score),
    `${score(slice.passRate)} (95 %: ${range(slice.passRateInterval)})`,
    slice.scoreDelta === undefined ? '–' : signed(slice.scoreDelta),
  ]);
  return [
    folded(
      plural(criteria.length, 'criterion').replace('criterions', 'criteria'),
      table(['criterion', 'met', 'tasks', 'weight', 'agreement'], criterionRows),
    ),
    folded(EXPLORATORY, table(['part', 'tasks', 'score', 'pass rate', 'change'], sliceRows)),
  ];
}

/** A bot finds the comment of a suite by this line, and replaces it. */
export const markerOf = (suiteRef: string): string =>
  `<!-- touchstone:${(suiteRef.split('@')[0] ?? '').replace(/[^\w.-]/g, '')} -->`;

export const suiteMarker = ({ suite }: RunView): string => markerOf(refOf(suite));
