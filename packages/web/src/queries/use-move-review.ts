import type { BoardVersion, MoveReview } from '@touchstone/protocol';
import { type EvalRunSnapshot, isEvalRun } from '@touchstone/sdk';
import { ago, score } from '@touchstone/sdk/view';
import { type MoveForm, type MoveKind, questionOf } from '../parts/release/moves.js';
import { client } from '../source.js';
import { useQuery } from './use-query.js';

const LOOK = 50;

type ReviewState = {
  readonly review: MoveReview | undefined;
  readonly error: unknown;
  /** Completed runs of the version, newest first. */
  readonly runs: readonly { readonly runId: string; readonly words: string }[];
  /** The run that is named as evidence: the person's choice, otherwise the newest that fits, otherwise the newest. */
  readonly chosen: string | undefined;
};

/** What the host would decide about a move, asked again with every change of it. */
export function useMoveReview(
  agentId: string,
  version: BoardVersion,
  kind: MoveKind,
  form: MoveForm,
): ReviewState {
  const { evalRunId, reason: _, ...place } = form;
  const isPromotion = kind === 'promote';
  const runs = useQuery(isPromotion ? `runs of ${agentId}@${version.version}` : undefined, (signal) =>
    runsOf(agentId, version.version, signal),
  );
  const key = `${agentId} ${version.version} ${kind} ${JSON.stringify(place)}`;
  const ask = (proof: string | undefined) => (signal: AbortSignal) =>
    client.deployments.review(
      agentId,
      questionOf(kind, version, { ...place, reason: '', ...(proof ? { evalRunId: proof } : {}) }),
      { signal },
    );
  const without = useQuery(`review ${key}`, ask(undefined));
  const asksForProof = without.data?.gates.some(({ evidence }) => evidence !== undefined) ?? false;
  const offered = without.data?.fits[0] ?? (asksForProof ? runs.data?.[0]?.runId : undefined);
  const chosen = (evalRunId ?? offered) || undefined;
  const withProof = useQuery(
    without.data && chosen !== undefined ? `review ${key} ${chosen}` : undefined,
    ask(chosen),
  );
  const isReady = without.data !== undefined && (!isPromotion || !runs.isLoading);
  return {
    review: !isReady ? undefined : chosen === undefined ? without.data : withProof.data,
    error: without.error ?? withProof.error ?? runs.error,
    runs: runs.data ?? [],
    chosen,
  };
}

async function runsOf(agentId: string, version: string, signal: AbortSignal) {
  const { items } = await client.runs.list({ agentId, status: 'completed', limit: LOOK }, { signal });
  return items
    .filter(isEvalRun)
    .filter(({ touchstone: { agent } }) => agent.version === version)
    .map((run) => ({ runId: run.runId as string, words: wordsOf(run) }));
}

function wordsOf({ touchstone: { suite, headline, createdAt } }: EvalRunSnapshot): string {
  const mean = headline ? `${score(headline.aggregateScore)} ` : '';
  return `${mean}${suite.ref}, ${ago(Date.now() - Date.parse(createdAt))}`;
}
