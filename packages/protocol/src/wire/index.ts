export { type SchemaName, schemas } from './catalogue.js';
export type { AgentDeploymentTransitionWire } from './openwop/agent-deployment-transition.js';
export type { AgentEvalSuiteWire } from './openwop/agent-eval-suite.js';
export type {
  AgentInventoryEntryWire,
  AgentInventoryResponseWire,
} from './openwop/agent-inventory-response.js';
export type { AgentManifestWire } from './openwop/agent-manifest.js';
export type { AgentRefWire } from './openwop/agent-ref.js';
export type { AnnotationWire } from './openwop/annotation.js';
export type { AnnotationCreateWire } from './openwop/annotation-create.js';
export type { BudgetPolicyWire } from './openwop/budget-policy.js';
export type { CapabilitiesWire } from './openwop/capabilities.js';
export type { DebugBundleWire } from './openwop/debug-bundle.js';
export type { ErrorEnvelopeWire } from './openwop/error-envelope.js';
export type { MemoryEntryWire } from './openwop/memory-entry.js';
export type { NodePackManifestWire } from './openwop/node-pack-manifest.js';
export { PAYLOAD_TYPES, type PayloadType, type PayloadWire } from './openwop/payloads/run-event-payloads.js';
export type { PromptKindWire } from './openwop/prompt-kind.js';
export type { PromptRefWire } from './openwop/prompt-ref.js';
export type { EvalConfigurableWire, RunCreateWire } from './openwop/run-create.js';
export type { RunDiffResponseWire } from './openwop/run-diff-response.js';
export type { RunEventWire } from './openwop/run-event.js';
export type { RunOptionsWire } from './openwop/run-options.js';
export type { RunSnapshotWire } from './openwop/run-snapshot.js';
export type { SuspendRequestWire } from './openwop/suspend-request.js';
export type { ToolDescriptorWire } from './openwop/tool-descriptor.js';
export { check, checkPayload, parse, parseRunCreate } from './schema/validate.js';
export * as vendor from './vendor/index.js';
export { profileSchemas } from './vendor/profile-schema.js';
