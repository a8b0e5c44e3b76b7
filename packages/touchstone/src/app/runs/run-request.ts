import { HostError } from '@touchstone/protocol';

/** Body of `POST /v1/runs` after the wire schema has accepted its shape. */
export type CreateRunBody = {
  readonly workflowId?: string;
  readonly inputs?: { readonly [key: string]: unknown };
  readonly mode?: 'eval';
  readonly evalSuiteRef?: string;
  readonly agentId?: string;
  readonly tenantId?: string;
  readonly scopeId?: string;
  readonly callbackUrl?: string;
  readonly residency?: object;
  readonly configurable?: { readonly [key: string]: unknown };
  readonly tags?: readonly string[];
  readonly metadata?: { readonly [key: string]: unknown };
};

/** What everyone is told who wants an evaluation of a host that makes none. */
export const evaluationOff = (): HostError =>
  new HostError(
    'capability_not_provided',
    'This host does not run evaluations: agents.evalSuite is not advertised.',
    { capability: 'agents.evalSuite' },
  );
