import { useEffect, useRef, useState } from 'preact/hooks';
import { match, useAddress } from '../../address.js';
import { useQuery } from '../../queries/use-query.js';
import { client } from '../../source.js';
import { ErrorBox } from '../error-box.js';
import { type Goal, goalsIn, pageActions } from './goals.js';
import '../../styles/go-to.css';

/** Runs, suites, agents and tasks by a part of their name, and what can be done on the page. Arrows move, Enter goes. */
export function GoToDialog({ onClose }: { readonly onClose: () => void }) {
  const box = useRef<HTMLDialogElement>(null);
  const { path } = useAddress();
  const [typed, setTyped] = useState('');
  const name = typed.trim();
  const [actions] = useState(pageActions);
  useEffect(() => box.current?.showModal(), []);
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
    <dialog ref={box} class="go-to" aria-label="Go to" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          linksIn(box.current)[0]?.click();
        }}
        onKeyDown={(event) => moveFocus(event, box.current)}
      >
        <input
          type="search"
          aria-label="Name of a run, suite, agent or task"
          placeholder="Run, suite, agent, task or action"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
        />
        {found.error !== undefined && <ErrorBox error={found.error} onRetry={found.reload} />}
        <ul>
          {goals.map((goal) => (
            <GoalLine key={`${goal.kind} ${goal.name}`} goal={goal} onDone={() => box.current?.close()} />
          ))}
        </ul>
        {isNothing && (
          <p role="status" class="muted">
            Nothing has this in its name.
          </p>
        )}
      </form>
    </dialog>
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

const linksIn = (box: HTMLElement | null): readonly HTMLElement[] => [
  ...(box?.querySelectorAll<HTMLElement>('.goal') ?? []),
];

function moveFocus(event: KeyboardEvent, box: HTMLElement | null): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const all = [box?.querySelector('input') as HTMLElement, ...linksIn(box)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  all[(at + step + all.length) % all.length]?.focus();
}
