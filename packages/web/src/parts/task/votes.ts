import type { TaskSpan } from '@touchstone/protocol';

/** A line of the time line: one call, or the votes of a judge together. */
export type TaskStep = TaskSpan & {
  /** What it is made of, when it is more than one call. */
  readonly calls?: readonly TaskSpan[];
};

/** The votes of a judge are one line: it is asked several times at once, and all of them decide together. */
export function withVotesTogether(spans: readonly TaskSpan[]): readonly TaskStep[] {
  const groups: TaskSpan[][] = [];
  for (const span of spans) {
    const last = groups.at(-1);
    const isVote = span.kind === 'judge' && last?.[0]?.kind === 'judge' && last[0].name === span.name;
    if (isVote) last.push(span);
    else groups.push([span]);
  }
  return groups.map(together);
}

function together(calls: readonly TaskSpan[]): TaskStep {
  const [first] = calls as [TaskSpan];
  if (calls.length === 1) return first;
  const startMs = Math.min(...calls.map((call) => call.startMs));
  const endMs = Math.max(...calls.map((call) => call.startMs + call.durationMs));
  const tokens = calls.flatMap((call) => call.tokens ?? []);
  const costs = calls.flatMap((call) => call.costUsd ?? []);
  return {
    ...first,
    calls,
    startMs,
    durationMs: endMs - startMs,
    ...(tokens.length > 0 && {
      tokens: {
        input: sum(tokens.map(({ input }) => input)),
        output: sum(tokens.map(({ output }) => output)),
      },
    }),
    ...(costs.length > 0 && { costUsd: sum(costs) }),
  };
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
