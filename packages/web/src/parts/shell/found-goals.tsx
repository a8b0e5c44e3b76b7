import { useState } from 'preact/hooks';
import { match, useAddress } from '../../address.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { type Goal, goalsIn, pageActions } from './goals.js';

type FoundGoalsProps = { readonly name: string; readonly onDone: () => void };

/** Runs, suites, agents and tasks by a part of their name, and what can be done on the page. */
export function FoundGoals({ name, onDone }: FoundGoalsProps) {
  const { path } = useAddress();
  const [actions] = useState(pageActions);
  const names = useQuery('names', async (signal) => {
    const [suites, agents] = await Promise.all([
      client.suites.list({ limit: 200 }, { signal }),
      client.agents.list({ signal }),
    ]);
    return { suites: suites.items, agents: agents.agents };
  });
  const runId = match('/runs/:runId', path)?.runId ?? match('/runs/:runId/:part', path)?.runId;
  const found = useQuery(name === '' ? undefined : `found ${runId} ${name}`, async (signal) => {
    const [runs, tasks] = await Promise.all([
      client.runs.list({ q: name, limit: MOST }, { signal }),
      runId === undefined
        ? undefined
        : client.runs.tasks(runId as never, { id: name, limit: MOST }, { signal }),
    ]);
    return { runs: runs.items, tasks: tasks?.items ?? [] };
  });
  const goals = goalsIn({ name, actions, runId, ...names.data, ...found.data }).slice(0, MOST * 4);
  const isNothing = name !== '' && !found.isLoading && goals.length === 0;
  return (
    <>
      {found.error !== undefined && <ErrorBox error={found.error} onRetry={found.reload} />}
      <ul>
        {goals.map((goal) => (
          <GoalLine key={`${goal.kind} ${goal.name}`} goal={goal} onDone={onDone} />
        ))}
      </ul>
      {isNothing && (
        <p role="status" class="muted">
          Nothing has this in its name.
        </p>
      )}
    </>
  );
}

const MOST = 6;

const GoalLine = ({ goal, onDone }: { readonly goal: Goal; readonly onDone: () => void }) => {
  const text = (
    <>
      <span class="goal-kind muted">{goal.kind}</span> <span class="goal-name">{goal.name}</span>{' '}
      <span class="muted">{goal.note}</span>
    </>
  );
  const choose = (): void => {
    onDone();
    goal.onChoose?.();
  };
  return (
    <li>
      {goal.href === undefined ? (
        <button type="button" class="goal" onClick={choose}>
          {text}
        </button>
      ) : (
        <a class="goal" href={goal.href} onClick={choose}>
          {text}
        </a>
      )}
    </li>
  );
};
