import type { ForkedRun, ForkRun, Page, RunArtifact, RunId, ScoreOverride } from '@touchstone/protocol';
import type { Annotation, NewAnnotation } from '../annotation-types.js';
import { runPath } from '../stream.js';
import type { Transport } from '../transport.js';
import type { DebugBundle, RunDiff } from '../types.js';
import { at, type Get, post, type Reading, type Sending, VENDOR } from './calls.js';

/** Calls on the log of a run: fork, diff, annotations, debug bundle. */
export function historyCalls(transport: Transport, get: Get) {
  return {
    /**
     * Creates a run that begins with the history of another one; the other one is not touched. A replay has ended
     * when this resolves; a branch goes on.
     */
    fork: (runId: RunId, body: ForkRun, sending?: Sending): Promise<ForkedRun> =>
      post(transport, `${runPath(runId)}:fork`, body, sending),
    /**
     * What differs between the logs of two runs; timestamps and ids are not compared.
     * @param against The run that the first one is compared with; `b` in the answer.
     */
    diff: (runId: RunId, against: RunId, reading?: Reading): Promise<RunDiff> =>
      get(`${runPath(runId)}:diff`, reading, { against }),
    /**
     * Records a reviewer's annotation of a run, an event or a node. A correction of an `eval.scored` event overrides
     * that score in reports, if the key may override.
     */
    annotate: (runId: RunId, body: NewAnnotation, sending?: Sending): Promise<Annotation> =>
      post(transport, `${runPath(runId)}/annotations`, body, sending),
    /** The annotations of a run, oldest first; with `taskId` only those on this task or on one of its events. */
    annotations: async (
      runId: RunId,
      { taskId, ...reading }: { readonly taskId?: string } & Reading = {},
    ): Promise<readonly Annotation[]> => {
      const path = `${runPath(runId)}/annotations`;
      return (await get<{ readonly annotations: readonly Annotation[] }>(path, reading, { taskId }))
        .annotations;
    },
    /** The corrections of scores among the annotations, oldest first. Of several for one task the last one counts. */
    overrides: async (runId: RunId, reading?: Reading): Promise<readonly ScoreOverride[]> =>
      (await get<Page<ScoreOverride>>(`${VENDOR}/runs/${at(runId)}/overrides`, reading)).items,
    /** The run in one document for a bug report. Known secrets are masked; it may be truncated. */
    debugBundle: (runId: RunId, reading?: Reading): Promise<DebugBundle> =>
      get(`${runPath(runId)}/debug-bundle`, reading),
    /** A thing that a run asks people about, by the `artifactId` of the question. Needs the scope `artifacts:read`. */
    artifact: (runId: RunId, artifactId: string, reading?: Reading): Promise<RunArtifact> =>
      get(`${runPath(runId)}/artifacts/${at(artifactId)}`, reading),
  };
}
