import type { EvalRunSnapshot } from '@touchstone/sdk';
import type { ComponentChildren } from 'preact';
import { useContext } from 'preact/hooks';
import { verdictOfRun } from '../../run-words.js';
import { VerdictBadge } from '../verdict.js';
import { RunActionsContext } from './run-actions-context.js';

const PARTS = [
  ['', 'Tasks'],
  ['/report', 'Report'],
  ['/events', 'Events'],
  ['/about', 'About'],
] as const;

type RunTitleProps = {
  readonly run: EvalRunSnapshot;
  /** Which of its pages is shown. */
  readonly part: (typeof PARTS)[number][1];
  readonly isWorse?: boolean;
  /** Asks again where the run stands. */
  readonly reload: () => void;
  readonly children?: ComponentChildren;
};

/** Which run it is, what it came to, its pages, and what can be done with it. */
export function RunTitle({ run, part, isWorse = false, reload, children }: RunTitleProps) {
  const { suite, agent } = run.touchstone;
  const Actions = useContext(RunActionsContext);
  return (
    <header class="run-heading">
      <p class="crumbs">
        <a href="/runs">Runs</a> / {suite.ref}
      </p>
      <div class="run-title">
        <h1>
          {agent.agentId}@{agent.version}
        </h1>
        <VerdictBadge verdict={verdictOfRun(run, isWorse)} status={run.status} />
        {Actions && <Actions run={run} reload={reload} />}
      </div>
      {children}
      <nav class="tabs" aria-label="Run">
        {PARTS.map(([path, name]) => (
          <a
            key={name}
            href={`/runs/${encodeURIComponent(run.runId)}${path}`}
            aria-current={name === part ? 'page' : undefined}
          >
            {name}
          </a>
        ))}
      </nav>
    </header>
  );
}
