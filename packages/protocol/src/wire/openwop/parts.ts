// Small shapes that several schemas share. Functions, where each place has its own description.
import { DEPLOYMENT_STATES } from '../../model/deployment.js';
import type { AgentId, SuiteId, TaskId, Version } from '../../model/ids.js';
import { EVAL_MODES, MODEL_CLASSES } from '../../model/modes.js';
import { choice, closed, flag, id, integer, name, set } from '../schema/build.js';

export const suiteId = (description: string) =>
  id<SuiteId>(description, { pattern: '^[a-z0-9.-]+\\.evals\\.[a-z0-9-]+$' });
export const suiteVersion = (description: string) =>
  id<Version>(description, { pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' });
export const taskId = (description: string) => id<TaskId>(description, { pattern: '^[a-z0-9][a-z0-9-]*$' });

/** Agent ids where the protocol bounds their length; elsewhere it only asks for a non-empty string. */
export const boundedAgentId = (description: string) =>
  id<AgentId>(description, { minLength: 3, maxLength: 256 });

export const evalModes = (description: string, options: { readonly minItems?: number } = {}) =>
  set(choice(EVAL_MODES), description, options);

/** The classes that suites, manifests and summaries use. An agent reference has its own list. */
export const modelClass = (description?: string) => choice(MODEL_CLASSES, description);

export const owner = (description: string) =>
  closed(
    { tenant: name('The outermost boundary between customers.') },
    {
      workspace: name('A part of the tenant.'),
      principal: name('Who acted: an opaque id, never a personal name.'),
    },
    { description },
  );

export const deploymentState = (description: string) => choice(DEPLOYMENT_STATES, description);

export const percent = (description: string) => integer(description, { minimum: 0, maximum: 100 });

export const memoryShape = (description: string) =>
  closed(
    {},
    {
      scratchpad: flag('Notes that last for one task.'),
      conversation: flag('The dialogue of one run.'),
      longTerm: flag('Memory that outlives the run.'),
    },
    { description },
  );

export const agentModelClass = (description?: string) =>
  choice(
    [
      'reasoning',
      'tool-using',
      'chat',
      'code',
      'vision',
      'multimodal',
      'embedding',
      'classification',
      'retrieval',
    ],
    description,
  );

export const verbosity = (description: string) => choice(['summary', 'full', 'off'], description);

export const invocationSource = (description?: string) =>
  choice(['workflow-node', 'run-api', 'chat-mention'], description);

export const toolSource = (description?: string) =>
  choice(['node-pack', 'workflow', 'mcp', 'connector', 'host-extension'], description);

export const signalKind = (description?: string) =>
  choice(['rating', 'correction', 'label', 'flag'], description);

export const budgetScope = (description?: string) =>
  choice(['run', 'workflow', 'agent', 'project'], description);

export const interruptKind = (description: string) =>
  choice(
    [
      'approval',
      'clarification',
      'external-event',
      'custom',
      'conversation.start',
      'conversation.exchange',
      'conversation.close',
      'low-confidence',
    ],
    description,
  );
