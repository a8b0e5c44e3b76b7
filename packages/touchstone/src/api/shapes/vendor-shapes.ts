import { UNSCORED_REASONS } from '@touchstone/protocol';
import type { Shape } from '@touchstone/protocol/wire';

const text: Shape = { type: 'string' };
export const closed = (
  properties: { readonly [name: string]: Shape },
  required = Object.keys(properties),
): Shape => ({
  type: 'object',
  properties,
  required,
  additionalProperties: false,
});

/** A deployment's record, and the run that waits for people. */
export const pendingDeployment: Shape = {
  type: 'object',
  properties: {
    agentId: text,
    version: text,
    state: text,
    touchstone: closed({ runId: text, status: text }),
  },
  required: ['agentId', 'version', 'state', 'touchstone'],
};

/** A list in pages. */
export const page = (items: Shape): Shape =>
  closed({ items: { type: 'array', items }, nextCursor: text }, ['items']);

export const installedSuite = closed({ suiteRef: text, suiteId: text, version: text, digest: text });
export const suiteHead: Shape = {
  type: 'object',
  properties: {
    suiteId: text,
    version: text,
    digest: text,
    modes: { type: 'array', items: text },
    taskCount: { type: 'integer' },
  },
  required: ['suiteId', 'version', 'digest', 'modes', 'taskCount'],
};
export const boundAgent = closed({ agentId: text, version: text, digest: text });
const packMembers = {
  name: text,
  version: text,
  integrity: text,
  digest: text,
  signedBy: text,
  filesSigned: { type: 'boolean' },
} as const;
const packRequired = ['name', 'version', 'integrity', 'digest', 'filesSigned', 'agents'];
export const packHead = closed(
  {
    ...packMembers,
    agents: { type: 'array', items: closed({ agentId: text, suiteRef: text }, ['agentId']) },
  },
  packRequired,
);
export const installedPack = closed(
  {
    ...packMembers,
    agents: {
      type: 'array',
      items: closed({ agentId: text, version: text, digest: text, suiteRef: text }, [
        'agentId',
        'version',
        'digest',
      ]),
    },
    suites: { type: 'array', items: installedSuite },
    warnings: { type: 'array', items: text },
  },
  [...packRequired, 'suites', 'warnings'],
);
export const agentSpec: Shape = {
  type: 'object',
  description: 'An entry of "agents" in the config, of a kind a tenant may bind.',
};

export const taskView: Shape = {
  type: 'object',
  properties: {
    taskId: text,
    score: { type: 'number', minimum: 0, maximum: 1 },
    passed: { type: 'boolean' },
    unscored: { type: 'string', enum: UNSCORED_REASONS, description: 'Why there is no score.' },
    expected: { type: 'object' },
    invocations: { type: 'array', items: { type: 'object' } },
  },
  required: ['taskId', 'score', 'passed', 'expected', 'invocations'],
};
