import { agentDeployment } from './agent-deployment.js';
import { agentDeploymentTransition } from './agent-deployment-transition.js';
import { agentEvalSuite } from './agent-eval-suite.js';
import { agentInventoryResponse } from './agent-inventory-response.js';
import { agentManifest } from './agent-manifest.js';
import { agentRef } from './agent-ref.js';
import { annotation } from './annotation.js';
import { annotationCreate } from './annotation-create.js';
import { budgetPolicy } from './budget-policy.js';
import { capabilities } from './capabilities.js';
import { debugBundle } from './debug-bundle.js';
import { errorEnvelope } from './error-envelope.js';
import { evalSummary } from './eval-summary.js';
import { memoryEntry } from './memory-entry.js';
import { nodePackManifest } from './node-pack-manifest.js';
import { promptKind } from './prompt-kind.js';
import { promptRef } from './prompt-ref.js';
import { runCreate } from './run-create.js';
import { runDiffResponse } from './run-diff-response.js';
import { runEvent } from './run-event.js';
import { runEventPayloads } from './run-event-payloads.js';
import { runOptions } from './run-options.js';
import { runSnapshot } from './run-snapshot.js';
import { suspendRequest } from './suspend-request.js';
import { toolDescriptor } from './tool-descriptor.js';

/** Every shape this house speaks, by name. Plain JSON Schema 2020-12: ready for a validator or an OpenAPI document. */
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

export type SchemaName = keyof typeof schemas;
