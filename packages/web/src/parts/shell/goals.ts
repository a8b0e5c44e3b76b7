import type { SuiteListing, TaskListing } from '@touchstone/protocol';
import type { RunSnapshot } from '@touchstone/sdk';
import { score } from '@touchstone/sdk/view';

/** Something that can be gone to, or done. */
export type Goal = {
  readonly kind: 'page' | 'action' | 'run' | 'suite' | 'agent' | 'task';
  readonly name: string;
  readonly note?: string | undefined;
  readonly href?: string;
  readonly onChoose?: () => void;
};

/** Controls that the page shows at the moment; what does not work is left out. */
const CONTROLS =
  'main :is(.run-actions, .run-title) > :is(a, button), main .run-actions > .menu > button, .rail-end button';
const LINKS = 'nav[aria-label=Main] a';

export function pageActions(): readonly Goal[] {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(LINKS)].map(
    (link): Goal => ({
      kind: 'page',
      name: link.firstChild?.textContent ?? '',
      href: link.getAttribute('href') ?? '/',
    }),
  );
  const controls = [...document.querySelectorAll<HTMLElement>(CONTROLS)]
    .filter((control) => !(control as HTMLButtonElement).disabled && control.title !== 'Ctrl+K')
    .map(
      (control): Goal => ({
        kind: 'action',
        name: nameOf(control),
        onChoose: () => control.click(),
      }),
    );
  return [...controls, ...links];
}

/** As it is read out; a sign in front of the words is no part of it. */
const nameOf = (control: HTMLElement): string =>
  control.dataset.testid === 'theme'
    ? 'Next theme'
    : (control.getAttribute('aria-label') ?? control.lastChild?.textContent?.trim() ?? '');

type NamesOnHost = {
  readonly name: string;
  readonly actions: readonly Goal[];
  readonly runId: string | undefined;
  readonly suites?: readonly SuiteListing[];
  readonly agents?: readonly { readonly agentId: string }[];
  readonly runs?: readonly RunSnapshot[];
  readonly tasks?: readonly TaskListing[];
};

/** What has the name in it; without a name, what can be done here. */
export function goalsIn({
  name,
  actions,
  runId,
  suites = [],
  agents = [],
  runs = [],
  tasks = [],
}: NamesOnHost) {
  if (name === '') return actions;
  const hasName = (text: string): boolean => text.toLowerCase().includes(name.toLowerCase());
  const at = encodeURIComponent;
  const goals: readonly Goal[] = [
    ...tasks.map(
      ({ taskId, score: value, unscored }): Goal => ({
        kind: 'task',
        name: taskId,
        note: unscored ?? score(value),
        href: `/runs/${at(runId ?? '')}/tasks/${at(taskId)}`,
      }),
    ),
    ...runs.map(
      ({ runId: id, touchstone, status }): Goal => ({
        kind: 'run',
        name: id,
        note: touchstone?.agent ? `${touchstone.agent.agentId}@${touchstone.agent.version}` : status,
        href: `/runs/${at(id)}`,
      }),
    ),
    ...suites
      .map(({ suiteId, version }) => `${suiteId}@${version}`)
      .filter(hasName)
      .map((ref): Goal => ({ kind: 'suite', name: ref, href: `/suites/${at(ref)}` })),
    ...agents
      .map(({ agentId }) => agentId)
      .filter(hasName)
      .map((id): Goal => ({ kind: 'agent', name: id, href: `/agents/${at(id)}` })),
    ...actions.filter((action) => hasName(action.name)),
  ];
  return goals;
}
