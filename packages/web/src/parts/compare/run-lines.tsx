import type { EvalReport, Matrix, MatrixRun } from '@touchstone/protocol';
import { HostResponseError } from '@touchstone/sdk';
import { changeCertainty, deltaWords, regressionWords, score } from '@touchstone/sdk/view';
import { type Address, navigate, useAddress } from '../../address.js';
import { ChangeMark } from '../../marks/change.js';
import { SmallInterval } from '../../marks/small-interval.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { Menu } from '../menu.js';
import { Command } from '../states.js';
import { When } from '../when.js';
import { ChangedSlices } from './changed-slices.js';
import { allowedIn, movedTo, waysOut, without } from './compared-runs.js';
import { SmallestDrop } from './smallest-drop.js';

type RunLinesProps = { readonly runs: readonly string[]; readonly matrix: Matrix | undefined };

/** The runs, the baseline first, each with what the host makes of the difference. */
export const RunLines = ({ runs, matrix }: RunLinesProps) => (
  <ol class="run-lines" aria-label="Runs">
    {runs.map((runId, at) => {
      const run = matrix?.runs.find((one) => one.runId === runId);
      return (
        <li key={runId} data-run={runId}>
          <RunName runId={runId} run={run} isBaseline={at === 0} />
          <MoveMenu runs={runs} runId={runId} place={at} />
          {at > 0 && <Difference before={runs[0] ?? ''} after={runId} isDetailed={runs.length === 2} />}
        </li>
      );
    })}
  </ol>
);

const RunName = ({
  runId,
  run,
  isBaseline,
}: {
  readonly runId: string;
  readonly run: MatrixRun | undefined;
  readonly isBaseline: boolean;
}) => (
  <p class="run-name">
    <a href={`/runs/${encodeURIComponent(runId)}`}>
      {run ? `${run.agent.agentId}@${run.agent.version}` : runId}
    </a>
    {run?.blessed && (
      <span class="blessed" title="Blessed: others are measured by it">
        ◆ blessed
      </span>
    )}
    {isBaseline && <span class="tag">baseline</span>}
    {run && (
      <>
        <span class="score-of">
          <span class="strong">{score(run.score)}</span>{' '}
          <SmallInterval value={run.score} interval={run.interval} />
        </span>
        <span class="muted">
          {run.suite.ref} · <When at={run.endedAt} />
        </span>
      </>
    )}
  </p>
);

function MoveMenu({
  runs,
  runId,
  place,
}: {
  readonly runs: readonly string[];
  readonly runId: string;
  readonly place: number;
}) {
  const address = useAddress();
  const item = (name: string, href: string, isPossible: boolean) =>
    isPossible ? [{ name, onChoose: () => navigate(href) }] : [];
  const items = [
    ...item('Make it the baseline', movedTo(address, runs, runId, 0), place > 0),
    ...item('Up', movedTo(address, runs, runId, place - 1), place > 1),
    ...item('Down', movedTo(address, runs, runId, place + 1), place < runs.length - 1),
    ...item('Take it out', without(address, runs, runId), runs.length > 2),
  ];
  return <Menu label={`Move ${runId}`} text="Move ▾" items={items} />;
}

type DifferenceProps = { readonly before: string; readonly after: string; readonly isDetailed: boolean };

function Difference({ before, after, isDetailed }: DifferenceProps) {
  const address = useAddress();
  const allowed = allowedIn(address.query);
  const key = `report ${after} ${before} ${JSON.stringify(allowed)}`;
  const { data, error, reload } = useQuery(key, (signal) =>
    client.runs.report(after as never, { against: before as never, ...allowed, signal }),
  );
  if (error instanceof HostResponseError && error.status === 400)
    return <NotAlike address={address} error={error} runId={after} />;
  if (error !== undefined) return <ErrorBox error={error} onRetry={reload} />;
  if (!data?.regression) return null;
  return <Verdict regression={data.regression} slices={data.slices} isDetailed={isDetailed} />;
}

type NotAlikeProps = { readonly address: Address; readonly error: HostResponseError; readonly runId: string };

/** Listed without a verdict: why, and what can be done about it. */
const NotAlike = ({ address, error, runId }: NotAlikeProps) => (
  <div class="not-alike" data-testid="error" data-code={error.code}>
    <p>No verdict. {error.message.replace(/^\/against: /, '')}</p>
    <p class="ways">
      {waysOut(address, error.message).map(({ href, text }) => (
        <a key={href} class="button" href={href}>
          {text}
        </a>
      ))}
    </p>
    {/different judges/.test(error.message) && <Command text={`touchstone rejudge ${runId}`} />}
  </div>
);

type Regression = NonNullable<EvalReport['regression']>;

type VerdictProps = {
  readonly regression: Regression;
  /** Where the change lies. */
  readonly slices: EvalReport['slices'];
  /** Of more than two runs the sentences are enough. */
  readonly isDetailed: boolean;
};

const Verdict = ({ regression, slices, isDetailed }: VerdictProps) => (
  <div class="difference">
    <p
      class={`sentence ${regression.verdict}`}
      data-testid="compare-verdict"
      data-verdict={regression.verdict}
      data-p={regression.pValue}
    >
      {regressionWords(regression)}
    </p>
    <ChangeMark
      value={regression.scoreDelta}
      interval={regression.interval}
      tolerance={regression.tolerance}
    />
    <SmallestDrop regression={regression} />
    {isDetailed && (
      <>
        <ul class="muted certainty">
          {[...changeCertainty(regression), ...deltaWords(regression)].map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
        <ChangedSlices slices={slices} />
      </>
    )}
  </div>
);
