// Small shapes that several schemas share. Functions, where each place has its own description.
import { DEPLOYMENT_STATES } from '../../model/deployment.js';
import type { AgentId, SuiteId, TaskId, Version } from '../../model/ids.js';
import { EVAL_MODES, MODEL_CLASSES } from '../../model/modes.js';
import { choice, closed, flag, id, integer, name, set } from '../schema/build.js';

/** A suite without its version: `<scope>.<org>.evals.<name>`. */
export const suiteId = (description: string) =>
  id<SuiteId>(description, { pattern: '^[a-z0-9.-]+\\.evals\\.[a-z0-9-]+$' });
/** Three numbers with dots; suites have no pre-releases. */
export const suiteVersion = (description: string) =>
  id<Version>(description, { pattern: '^[0-9]+\\.[0-9]+\\.[0-9]+$' });
/** A task within its suite: small letters, digits and hyphens. */
export const taskId = (description: string) => id<TaskId>(description, { pattern: '^[a-z0-9][a-z0-9-]*$' });

/** Agent ids where the protocol bounds their length; elsewhere it only asks for a non-empty string. */
export const boundedAgentId = (description: string) =>
  id<AgentId>(description, { minLength: 3, maxLength: 256 });

/** A set of eval modes (RFC 0081 §D). */
export const evalModes = (description: string, options: { readonly minItems?: number } = {}) =>
  set(choice(EVAL_MODES), description, options);

/** The classes that suites, manifests and summaries use. An agent reference has its own list. */
export const modelClass = (description?: string) => choice(MODEL_CLASSES, description);

/** Whose a run is, and who created it. */
export const owner = (description: string) =>
  closed(
    {
      /** The boundary that no data crosses. */
      tenant: name('The outermost boundary between customers.'),
    },
    {
      /** A part of the tenant with data of its own; `main` unless the key says otherwise. */
      workspace: name('A part of the tenant.'),
      /** Who acted: an opaque id, never a personal name. An opaque id, taken from the API key. */
      principal: name('Who acted: an opaque id, never a personal name.'),
    },
    { description },
  );

/** A state of the promotion path. */
export const deploymentState = (description: string) => choice(DEPLOYMENT_STATES, description);

/** A share of the traffic, a whole number from 0 to 100. */
export const percent = (description: string) => integer(description, { minimum: 0, maximum: 100 });

/** The kinds of memory that an agent uses; an absent flag is `false`. */
export const memoryShape = (description: string) =>
  closed(
    {},
    {
      /** Lasts for one task. */
      scratchpad: flag('Notes that last for one task.'),
      /** Lasts for one run. */
      conversation: flag('The dialogue of one run.'),
      /** Outlives the run; suites seed it with `memorySeed`. */
      longTerm: flag('Memory that outlives the run.'),
    },
    { description },
  );

/** The protocol's classes for agent references. Manifests and suites use `MODEL_CLASSES`. */
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

/** How much of an agent's reasoning is recorded: all of it, a summary, or nothing. */
export const verbosity = (description: string) => choice(['summary', 'full', 'off'], description);

/** What started an invocation. */
export const invocationSource = (description?: string) =>
  choice(['workflow-node', 'run-api', 'chat-mention'], description);

/** Where a tool comes from. */
export const toolSource = (description?: string) =>
  choice(['node-pack', 'workflow', 'mcp', 'connector', 'host-extension'], description);

/** The kinds of annotation. */
export const signalKind = (description?: string) =>
  choice(['rating', 'correction', 'label', 'flag'], description);

/** What a budget is attached to. */
export const budgetScope = (description?: string) =>
  choice(['run', 'workflow', 'agent', 'project'], description);

/** What a run waits for. This host asks for `approval` and `clarification`. */
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
