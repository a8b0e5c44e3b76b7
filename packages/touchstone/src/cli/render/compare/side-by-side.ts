import type { MeasuredRun } from '@touchstone/protocol';
import { ago, judgeName, KEPT, modelName, refOf, score, whole } from '@touchstone/sdk/view';
import { displayWidth, type Look, padEnd, printable } from '../text.js';

/** The least; a longer label makes room for itself. */
const LABEL = 8;
const GAP = 2;

type Row = {
  readonly label: string;
  readonly before: string;
  readonly after: string;
  /** Saying it twice would only make the reader look for a difference. */
  readonly once?: boolean;
};

/** What is compared: run, suite, agent, models and score of both, in two columns. */
export function renderSides(
  before: MeasuredRun,
  after: MeasuredRun,
  now: number,
  { ink, width }: Look,
): string[] {
  const rows = rowsOf(before, after, now);
  const labels = Math.max(LABEL, ...rows.map(({ label }) => label.length + GAP));
  const room = Math.floor((width - 2 - labels - GAP) / 2);
  const widest = Math.max(...rows.map((row) => displayWidth(row.before)));
  const column = Math.min(room, widest) + GAP;
  const heads = `${' '.repeat(2 + labels)}${ink.dim(`${padEnd('before', column)}after`)}`;
  const lines = rows.map(({ label, before: one, after: other, once }) => {
    const right = once && one === other ? ink.dim('the same') : keepEnd(other, room);
    return `  ${ink.dim(padEnd(label, labels))}${padEnd(keepEnd(one, room), column)}${right}`;
  });
  return [heads, ...lines];
}

function rowsOf(before: MeasuredRun, after: MeasuredRun, now: number): readonly Row[] {
  const row = (label: string, tell: (side: MeasuredRun) => string | undefined, once = false): Row[] => {
    const [one, other] = [tell(before), tell(after)];
    return one === undefined && other === undefined
      ? []
      : [{ label, before: printable(one ?? '–'), after: printable(other ?? '–'), once }];
  };
  const otherSuite = isHidden(before.suite, after.suite);
  const otherAgent = isHidden(before.agent, after.agent);
  return [
    ...row('run', ({ runId }) => runId),
    ...row('when', (side) =>
      [
        ago(now - Date.parse(side.endedAt)),
        ...(side.fork ? [`a ${side.fork.mode ?? 'fork'}`] : []),
        ...(side.imported ? ['from a file'] : []),
      ].join(', '),
    ),
    ...row('suite', ({ suite }) => refOf(suite), !otherSuite),
    ...(otherSuite ? row('', ({ suite }) => short(suite.digest)) : []),
    ...row('agent', ({ agent }) => refOf(agent), !otherAgent),
    ...(otherAgent ? row('', ({ agent }) => short(agent.digest)) : []),
    ...row('model', ({ model }) => model && modelName(model), true),
    ...row('judge', ({ judge }) => judge && judgeName(judge), before.judge?.digest === after.judge?.digest),
    ...row('safety', ({ safetyJudge }) => safetyJudge && judgeName(safetyJudge)),
    ...row(
      'score',
      ({ score: value, tasks }) => `${score(value)}, ${whole(tasks.passed)} of ${whole(tasks.total)} passed`,
    ),
    ...row('contract', ({ contractVerdict }) => contractVerdict && KEPT[contractVerdict]),
  ];
}

type Pinned = MeasuredRun['suite'] | MeasuredRun['agent'];

/** Something was edited and kept its name: only the digests tell. */
const isHidden = (before: Pinned, after: Pinned): boolean =>
  before.digest !== after.digest && refOf(before) === refOf(after);

/** `sha256:1a2b3c4d…`. */
export const short = (digest: string): string => `${digest.slice(0, 'sha256:'.length + 8)}…`;

/** Names are told apart by their ends: the version comes last. */
export function keepEnd(text: string, width: number): string {
  const rest = displayWidth(text) - width;
  return rest <= 0 ? text : `…${text.slice(rest + 1)}`;
}
