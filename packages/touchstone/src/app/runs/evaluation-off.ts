import { HostError } from '@touchstone/protocol';

/** What everyone is told who wants an evaluation of a host that makes none. */
export const evaluationOff = (): HostError =>
  new HostError(
    'capability_not_provided',
    'This host does not run evaluations: agents.evalSuite is not advertised.',
    { capability: 'agents.evalSuite' },
  );
