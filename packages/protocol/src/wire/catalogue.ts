import { agentDeployment } from './openwop/agent-deployment.js';
import { agentDeploymentTransition } from './openwop/agent-deployment-transition.js';
import { agentEvalSuite } from './openwop/agent-eval-suite.js';
import { agentInventoryResponse } from './openwop/agent-inventory-response.js';
import { agentManifest } from './openwop/agent-manifest.js';
import { agentRef } from './openwop/agent-ref.js';
import { annotation } from './openwop/annotation.js';
import { annotationCreate } from './openwop/annotation-create.js';
import { budgetPolicy } from './openwop/budget-policy.js';
import { capabilities } from './openwop/capabilities.js';
import { debugBundle } from './openwop/debug-bundle.js';
import { errorEnvelope } from './openwop/error-envelope.js';
import { evalSummary } from './openwop/eval-summary.js';
import { memoryEntry } from './openwop/memory-entry.js';
import { nodePackManifest } from './openwop/node-pack-manifest.js';
import { orchestratorDecision } from './openwop/payloads/orchestrator-decision.js';
import { runEventPayloads } from './openwop/payloads/run-event-payloads.js';
import { promptKind } from './openwop/prompt-kind.js';
import { promptRef } from './openwop/prompt-ref.js';
import { runCreate } from './openwop/run-create.js';
import { runDiffResponse } from './openwop/run-diff-response.js';
import { runEvent } from './openwop/run-event.js';
import { runOptions } from './openwop/run-options.js';
import { runSnapshot } from './openwop/run-snapshot.js';
import { suspendRequest } from './openwop/suspend-request.js';
import { toolDescriptor } from './openwop/tool-descriptor.js';

/** Every schema of the protocol that this project uses, by name. Plain JSON Schema 2020-12: ready for a validator or an OpenAPI document. */
export const schemas = {
  'agent-deployment': agentDeployment,
  'agent-deployment-transition': agentDeploymentTransition,
  'agent-eval-suite': agentEvalSuite,
  'agent-inventory-response': agentInventoryResponse,
  'agent-manifest': agentManifest,
  'agent-ref': agentRef,
  annotation,
  'annotation-create': annotationCreate,
  'budget-policy': budgetPolicy,
  capabilities,
  'debug-bundle': debugBundle,
  'error-envelope': errorEnvelope,
  'eval-summary': evalSummary,
  'memory-entry': memoryEntry,
  'node-pack-manifest': nodePackManifest,
  'orchestrator-decision': orchestratorDecision,
  'prompt-kind': promptKind,
  'prompt-ref': promptRef,
  'run-create': runCreate,
  'run-diff-response': runDiffResponse,
  'run-event': runEvent,
  'run-event-payloads': runEventPayloads,
  'run-options': runOptions,
  'run-snapshot': runSnapshot,
  'suspend-request': suspendRequest,
  'tool-descriptor': toolDescriptor,
};

/** A name of `schemas`, e.g. `eval-summary`. */
export type SchemaName = keyof typeof schemas;
