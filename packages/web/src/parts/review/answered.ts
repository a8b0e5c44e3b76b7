import type { TaskView } from '@touchstone/protocol';

/** The repeats that have an answer, in the order of the answers. */
export const answered = ({ invocations }: TaskView): TaskView['invocations'] =>
  invocations.filter(({ output }) => output !== undefined);
