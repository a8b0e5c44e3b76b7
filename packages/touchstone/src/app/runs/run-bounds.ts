import { type Issue, type UnknownObject, validationError } from '@touchstone/protocol';

/** How much a run will execute: known when it is planned, because no run here decides that for itself. */
type Execution = {
  readonly nodes: number;
  /** Of an orchestrator; absent in runs that cannot have one. */
  readonly turns?: number;
};

/** Members of `configurable` that the protocol knows: each is kept to, or refused by name. None is ignored. */
export function checkBounds(configurable: UnknownObject, { nodes, turns }: Execution): void {
  const { recursionLimit, maxLoopIterations, promptOverrides } = configurable;
  const issues: Issue[] = [];
  const refuse = (member: string, message: string): void =>
    void issues.push({ pointer: `/configurable/${member}`, message });
  if (Number(recursionLimit) < nodes)
    refuse('recursionLimit', `This run executes ${nodes} nodes, which is more. Raise the limit.`);
  if (maxLoopIterations !== undefined && turns === undefined)
    refuse(
      'maxLoopIterations',
      'This run has no orchestrator whose turns it could limit. Leave the member out; runTimeoutMs and budget limit an agent.',
    );
  if (Number(maxLoopIterations) < (turns ?? 0))
    refuse('maxLoopIterations', `The orchestrator has ${turns} turns, which is more. Raise the limit.`);
  if (promptOverrides !== undefined)
    refuse('promptOverrides', 'This host does not offer it. Leave the member out.');
  if (issues.length > 0) throw validationError(issues);
}
