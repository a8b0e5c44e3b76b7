import { exitOf, type RunResult, refOf } from '../result.js';

/** The `--json` form of one run: content-free, and the same whether the run was local or on another host. */
export const documentOf = (result: RunResult): object => ({
  runId: result.runId,
  status: result.status,
  exitCode: exitOf(result),
  summary: result.summary,
  agent: { agentId: result.agent.agentId, version: result.agent.version, digest: result.agent.digest },
  suite: { ref: refOf(result.suite), digest: result.suite.digest },
  unscored: result.unscored,
  ...(result.model && { model: modelDocument(result.model) }),
  ...(result.cacheHits && { cacheHits: result.cacheHits }),
  ...(result.nondeterministic && { nondeterministic: true }),
  ...(result.recorded !== undefined && { recorded: result.recorded }),
  ...(result.error && { error: result.error }),
});

const modelDocument = ({ provider, model, mock }: NonNullable<RunResult['model']>): object => ({
  provider,
  model,
  ...(mock && { mock }),
});
