export {
  type Environment,
  fillIn,
  type Incomplete,
  keyVariable,
  needsVariables,
  tenantReferenceIssues,
  variablesIn,
} from './environment/fill-in.js';
export { handOver } from './environment/hand-over.js';
export { conversationIssues, readConversation } from './kinds/conversation/input.js';
export { pinUser, type UserDecision } from './kinds/conversation/pin-user.js';
export { type ModelDecision, type ModelRequest, pinModel } from './kinds/model/pin-model.js';
export type { ModuleAgent, ModuleContext, ModuleUsage, ToolError } from './kinds/module/module-context.js';
export { createModuleProcesses, type ModuleProcesses } from './kinds/module/module-processes.js';
export { readAnswers } from './kinds/recorded/answers-file.js';
export { createAskModel } from './models/ask.js';
export { chooseModel } from './models/choose.js';
export { createEmbedder } from './models/embedder.js';
export { createModels, type Models } from './models/models.js';
export { parseModelNames, parseProviders } from './models/provider-spec.js';
export { withResponses } from './models/response-cache.js';
export { openAgent } from './open.js';
export { redactSecrets, type Secret } from './redact.js';
export {
  checkBounded,
  checkForeignSchema,
  createSchemaCheck,
  examineSchema,
  foreignSchemas,
  SCHEMA_FIT,
  SCHEMA_ISSUES,
} from './schema-check.js';
export { type OpenScorer, openScorer } from './scorers/open-scorer.js';
export { parseScorers, type ScorerSpec } from './scorers/scorer-spec.js';
export { type AgentFiles, agentDigest, digestOf, readAgentFiles, wrappedDigest } from './spec/digest.js';
export { agentFacts } from './spec/facts.js';
export { inspectAgent, type NotFollowed } from './spec/not-followed.js';
export { parameterIssues, parametersOf } from './spec/parameters.js';
export { type AgentSpec, agentEntrySchema, fillInSpec, handoffIssues, parseAgentSpec } from './spec/spec.js';
export { missingVariable } from './templates/variables.js';
export { parseMcpServers } from './tools/mcp/server-spec.js';
export { parseToolSpecs } from './tools/tool-spec.js';
export { createTools, type HostTools } from './tools/tools.js';
