import type { EvalRunSnapshot } from '@touchstone/sdk';
import { useState } from 'preact/hooks';
import { missingScope } from '../../access.js';
import { useAddress } from '../../address.js';
import { download } from '../../download.js';
import { readTaskQuery } from '../../queries/task-query.js';
import { IN_FILE } from '../../source.js';
import { Menu, type MenuItem } from '../menu.js';
import { useSession } from '../shell/session-context.js';
import { useToast } from '../toast.js';
import { type RunAction, RunDialog } from './run-dialogs.js';

type RunMenuProps = { readonly run: EvalRunSnapshot; readonly reload: () => void };

const ENDED = ['completed', 'failed', 'cancelled'];

/** What can be done with a run. What does not work says why. */
export function RunMenu({ run, reload }: RunMenuProps) {
  const { query, text } = useAddress();
  const session = useSession();
  const [action, setAction] = useState<RunAction>();
  const [toast, say] = useToast();
  const { runId, status } = run;
  const isOver = ENDED.includes(status);
  const path = tasksPath(runId, query);
  const noFile = text !== '' ? 'A search through contents has no file.' : undefined;
  const fail = (error: unknown): void => say(error instanceof Error ? error.message : 'It did not work.');
  const needs = (scope: string, state: string | undefined) => missingScope(session, scope) ?? state;
  const unlessDone = status === 'completed' ? undefined : `The run is ${status}.`;
  const copy = (): void => {
    const told = (): void => say('Copied.');
    navigator.clipboard?.writeText(commandOf(runId, query)).then(told, fail);
  };
  const exports: readonly MenuItem[] = [
    {
      name: 'Export as CSV',
      testId: 'export',
      denied: noFile,
      onChoose: () => void download(path, 'text/csv', `${runId}.csv`).catch(fail),
    },
    {
      name: 'Export as JSONL',
      denied: noFile,
      onChoose: () => void download(path, 'application/x-ndjson', `${runId}.jsonl`).catch(fail),
    },
  ];
  const others = (): readonly MenuItem[] => [
    { name: 'Copy the command that shows this', onChoose: copy },
    {
      name: 'Judge again…',
      isApart: true,
      denied: needs('runs:create', unlessDone),
      onChoose: () => setAction('rejudge'),
    },
    {
      name: 'Fork…',
      denied: needs('runs:create', isOver ? undefined : `The run is ${status}.`),
      onChoose: () => setAction('fork'),
    },
    {
      name: 'Bless as baseline…',
      denied: needs('baselines:write', unlessDone),
      onChoose: () => setAction('bless'),
    },
    ...(isOver ? [] : controlItems(status, needs('runs:cancel', undefined), setAction)),
  ];
  const items = IN_FILE ? exports : [...exports, ...others()];
  return (
    <>
      <Menu label="More" items={items} />
      {!IN_FILE && action && (
        <RunDialog action={action} run={run} onDone={reload} onClose={() => setAction(undefined)} say={say} />
      )}
      {toast}
    </>
  );
}

const controlItems = (
  status: string,
  denied: string | undefined,
  choose: (action: RunAction) => void,
): readonly MenuItem[] => [
  status === 'paused'
    ? { name: 'Resume', isApart: true, denied, onChoose: () => choose('resume') }
    : { name: 'Pause…', isApart: true, denied, onChoose: () => choose('pause') },
  { name: 'Cancel…', denied, onChoose: () => choose('cancel') },
];

/** The tasks that are shown, as the host lists them. */
function tasksPath(runId: string, query: URLSearchParams): string {
  const { filter } = readTaskQuery(query);
  const given = Object.entries(filter).map(([name, value]) => [name, String(value)] as [string, string]);
  const text = new URLSearchParams(given).toString();
  return `/v1/host/touchstone/runs/${encodeURIComponent(runId)}/tasks${text === '' ? '' : `?${text}`}`;
}

/** Shows the same on a command line. */
function commandOf(runId: string, query: URLSearchParams): string {
  const task = query.get('task');
  const part = task !== null ? ` --task ${task}` : query.get('outcome') === 'failed' ? ' --failed' : ' --all';
  return `touchstone show ${runId}${part} --host ${location.origin}`;
}
