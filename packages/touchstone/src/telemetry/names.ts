// Every name that is sent to a collector. The conventions for generative AI are still in development and have moved before:
// whoever follows them changes this file, docs/telemetry.md, and nothing else.

export const OPERATIONS = {
  invokeAgent: 'invoke_agent',
  executeTool: 'execute_tool',
  chat: 'chat',
  embeddings: 'embeddings',
  evaluate: 'evaluate',
} as const;

export const EVALUATION_EVENT = 'gen_ai.evaluation.result';
/** The evaluation that is a task's score. Those of criteria have the criterion's id. */
export const SCORE = 'score';

export const ATTRIBUTES = {
  operation: 'gen_ai.operation.name',
  agentId: 'gen_ai.agent.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  provider: 'gen_ai.provider.name',
  model: 'gen_ai.request.model',
  conversation: 'gen_ai.conversation.id',
  inputTokens: 'gen_ai.usage.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  cacheReadTokens: 'gen_ai.usage.cache_read.input_tokens',
  cacheWriteTokens: 'gen_ai.usage.cache_creation.input_tokens',
  tool: 'gen_ai.tool.name',
  toolCall: 'gen_ai.tool.call.id',
  errorType: 'error.type',
  evaluation: 'gen_ai.evaluation.name',
  scoreValue: 'gen_ai.evaluation.score.value',
  scoreLabel: 'gen_ai.evaluation.score.label',

  run: 'touchstone.run.id',
  runStatus: 'touchstone.run.status',
  suite: 'touchstone.suite.id',
  suiteVersion: 'touchstone.suite.version',
  task: 'touchstone.task.id',
  repeat: 'touchstone.repeat',
  role: 'touchstone.role',
  toolSource: 'touchstone.tool.source',
  cost: 'touchstone.cost.usd',
  cached: 'touchstone.cached',
  untimed: 'touchstone.untimed',
  score: 'touchstone.score',
  passed: 'touchstone.passed',
} as const;

/** Content: sent only when the operator has asked for it twice. */
export const CONTENT = {
  instructions: 'gen_ai.system_instructions',
  input: 'gen_ai.input.messages',
  output: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
  explanation: 'gen_ai.evaluation.explanation',
  /** Beside the messages, which are text: what was given and answered as JSON, where it was no text. */
  inputValue: 'touchstone.input',
  outputValue: 'touchstone.output',
} as const;
