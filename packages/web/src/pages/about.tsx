import type { Json } from '@touchstone/protocol';
import type { EvalRunSnapshot } from '@touchstone/sdk';
import { CAVEAT_WORDS, forkNote, judgeName, modelName, NOT_FOLLOWED, plural } from '@touchstone/sdk/view';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { save } from '../download.js';
import { ErrorBox } from '../parts/error-box.js';
import { RunTitle } from '../parts/run/run-title.js';
import { Section } from '../parts/section.js';
import { CopyButton } from '../parts/states.js';
import { When } from '../parts/when.js';
import { EvalRunOf } from '../queries/use-eval-run.js';
import { client, IN_FILE } from '../source.js';
import '../styles/report.css';

export const AboutPage = ({ runId }: { readonly runId: string }) => (
  <EvalRunOf runId={runId}>{(run, reload) => <About run={run} reload={reload} />}</EvalRunOf>
);

type AboutProps = { readonly run: EvalRunSnapshot; readonly reload: () => void };

function About({ run, reload }: AboutProps) {
  const { agent } = run.touchstone;
  useEffect(() => {
    document.title = `About · ${agent.agentId}@${agent.version} · Touchstone`;
  }, [agent]);
  return (
    <>
      <RunTitle run={run} part="About" reload={reload} />
      <div class="report">
        <Section name="Run">
          <Facts lines={runLines(run)} />
        </Section>
        <Section name="What ran">
          <Facts lines={planLines(run)} />
        </Section>
        <Section name="Who decided">
          <Facts lines={deciderLines(run)} />
        </Section>
        <Notes run={run} />
        {!IN_FILE && <Bundle runId={run.runId} />}
      </div>
    </>
  );
}

type Line = readonly [name: string, value: ComponentChildren];

const Facts = ({ lines }: { readonly lines: readonly Line[] }) => (
  <dl class="facts">
    {lines
      .filter(([, value]) => value !== undefined && value !== '')
      .map(([name, value]) => (
        <div key={name} class="fact">
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
  </dl>
);

const Id = ({ text }: { readonly text: string }) => (
  <span class="id">
    {text} <CopyButton text={text} />
  </span>
);

const RunLink = ({ runId }: { readonly runId: string }) => (
  <a class="id" href={`/runs/${encodeURIComponent(runId)}`}>
    {runId}
  </a>
);

const runLines = ({ runId, status, touchstone, ...run }: EvalRunSnapshot): readonly Line[] => [
  ['Id', <Id key="id" text={runId} />],
  ['Status', status],
  ['Started', run.startedAt && <When at={run.startedAt} />],
  ['Ended', run.completedAt && <When at={run.completedAt} />],
  ['Tags', (run.tags ?? []).join(', ')],
  ['Baseline', touchstone.baselineRunId && <RunLink runId={touchstone.baselineRunId} />],
  ['Answers of', touchstone.rejudgeOf && <RunLink runId={touchstone.rejudgeOf} />],
];

const planLines = ({ touchstone }: EvalRunSnapshot): readonly Line[] => {
  const { suite, agent, model, modes, tasks, repeats, concurrency, contract } = touchstone;
  return [
    ['Suite', suite.ref],
    ['Suite digest', <Id key="suite" text={suite.digest} />],
    ['Agent', `${agent.agentId}@${agent.version}${agent.channel === undefined ? '' : ` (${agent.channel})`}`],
    ['Agent digest', <Id key="agent" text={agent.digest} />],
    ['Model', model && modelName(model)],
    ['Modes', modes.join(', ')],
    ['Tasks', `${plural(tasks.selected, 'task')} of ${tasks.total}`],
    ['Repeats', repeats],
    ['At once', concurrency],
    ['Contract', contract && <Id key="contract" text={contract} />],
  ];
};

const deciderLines = ({ touchstone }: EvalRunSnapshot): readonly Line[] => {
  const { judge, safetyJudge, embedder, simulatedUser, scorers = [] } = touchstone;
  return [
    ['Judge', judge ? judgeName(judge) : 'none: every task is decided by rules'],
    ['Judge digest', judge && <Id key="judge" text={judge.digest} />],
    ['Safety judge', safetyJudge && judgeName(safetyJudge)],
    ['Embedder', embedder && `${embedder.provider}/${embedder.model}`],
    ['Simulated user', simulatedUser && modelName(simulatedUser)],
    ['Scorers', scorers.map(({ name }) => name).join(', ')],
  ];
};

/** What a reader has to know before taking the score for more than it is. */
function Notes({ run: { touchstone } }: Pick<AboutProps, 'run'>) {
  const { fork, caveats = [], filesNotFollowed, nondeterministic, cache } = touchstone;
  const notes = [
    ...(fork ? [forkNote(fork)] : []),
    ...caveats.map((caveat) => CAVEAT_WORDS[caveat]),
    ...(filesNotFollowed ? [NOT_FOLLOWED] : []),
    ...(nondeterministic ? ['Live tools and memory were used: scores may differ next time.'] : []),
    ...(cache ? ['Recorded answers may stand in for the model.'] : []),
  ];
  if (notes.length === 0) return null;
  return (
    <Section name="Notes">
      {notes.map((note) => (
        <p key={note} class="note">
          {note}
        </p>
      ))}
    </Section>
  );
}

/** The whole run as one document, to hand on to those who look for a fault. */
function Bundle({ runId }: { readonly runId: string }) {
  const [error, setError] = useState<unknown>();
  const read = async (): Promise<void> => {
    const bundle = (await client.runs.debugBundle(runId as never)) as Json;
    const content = new Blob([JSON.stringify(bundle, null, 2)], { type: 'application/json' });
    save(content, `${runId}.debug.json`);
  };
  return (
    <Section name="Debug bundle">
      <p class="muted">The run in one document, with secrets masked. It holds what agents and tools said.</p>
      <p>
        <button type="button" onClick={() => void read().catch(setError)}>
          Download the debug bundle
        </button>
      </p>
      {error !== undefined && <ErrorBox error={error} onRetry={() => void read().catch(setError)} />}
    </Section>
  );
}
