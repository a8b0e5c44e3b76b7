import type { EvalRunSnapshot } from '@touchstone/sdk';
import type { ComponentChildren } from 'preact';
import { verdictOfRun } from '../../run-words.js';
import { IN_FILE } from '../../source.js';
import { VerdictBadge } from '../verdict.js';
import { RunMenu } from './run-menu.js';

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
        {!IN_FILE && (
          <a
            class="button run-action"
            href={`/review?source=failures&runId=${encodeURIComponent(run.runId)}`}
          >
            Review failures
          </a>
        )}
        <RunMenu run={run} reload={reload} />
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
