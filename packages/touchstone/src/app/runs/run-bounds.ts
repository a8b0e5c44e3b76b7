import { type Issue, type UnknownObject, validationError } from '@touchstone/protocol';

/** How much a run will execute: known when it is planned, because no run here decides that for itself. */
type Execution = {
  readonly nodes: number;
  /** Of an orchestrator; none in a run without one. The turns of an agent with its model and its tools are not meant. */
  readonly turns?: number;
};

/** Members of `configurable` that the protocol knows: each is kept to, or refused by name. None is ignored. */
export function checkBounds(configurable: UnknownObject, { nodes, turns = 0 }: Execution): void {
  const { recursionLimit, maxLoopIterations, promptOverrides } = configurable;
  const issues: Issue[] = [];
  const refuse = (member: string, message: string): void =>
    void issues.push({ pointer: `/configurable/${member}`, message });
  if (Number(recursionLimit) < nodes)
    refuse('recursionLimit', `This run executes ${nodes} nodes, which is more. Raise the limit.`);
  if (Number(maxLoopIterations) < turns)
    refuse('maxLoopIterations', `The orchestrator has ${turns} turns, which is more. Raise the limit.`);
  if (promptOverrides !== undefined)
    refuse('promptOverrides', 'This host does not offer it. Leave the member out.');
  if (issues.length > 0) throw validationError(issues);
}
