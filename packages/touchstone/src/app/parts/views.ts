import type { Owner, RunId } from '@touchstone/protocol';
import { maskWith } from '../checkers/masking.js';
import { createBlessings } from '../review/blessings.js';
import { readLabelDifferences } from '../review/label-differences.js';
import { createReviews } from '../review/reviews.js';
import type { Touchstone } from '../touchstone.js';
import { readComparison, readJudgeComparison } from '../views/compare.js';
import { readCounts } from '../views/counts.js';
import { buildDebugBundle } from '../views/debug-bundle/debug-bundle.js';
import { diffRuns } from '../views/diff.js';
import { readHistory } from '../views/history.js';
import { readLooks } from '../views/looks.js';
import { readMatrix } from '../views/outcomes/matrix.js';
import { createOutcomesReader } from '../views/outcomes/run-outcomes.js';
import { createOrdinalsReader } from '../views/outcomes/task-ordinals.js';
import { createReports } from '../views/reports.js';
import { listRuns } from '../views/run-list.js';
import { readThresholds } from '../views/run-measurement.js';
import { readScorecard } from '../views/scorecard.js';
import { viewTasks } from '../views/task-page.js';
import { viewTask } from '../views/task-view.js';
import { readTaskEvents } from '../views/tasks/task-events.js';
import { createTaskTexts } from '../views/tasks/task-texts.js';
import { createTasks } from '../views/tasks/tasks.js';
import type { Parts } from './parts.js';

/** What can be read of runs. */
export function viewsOf(parts: Parts) {
  const { config, store, clock, version, results, annotations, contractReport, checkers } = parts;
  const { contracts, calibrations } = parts;
  const { overridesOf } = annotations;
  const { sources: taskSources, tables } = parts.reviewed;
  const labelsOf = (owner: Owner, runId: RunId) => readLabelDifferences(parts.reviewed, owner, runId);
  const outcomes = createOutcomesReader({ store, results }, tables);
  const ordinals = createOrdinalsReader(store);
  const tasks = createTasks({ store, tables, outcomes, ordinals });
  return {
    annotations,
    results,
    contractReport,
    diff: (owner, a, b) => diffRuns(store, owner, a, b),
    debugBundle: (owner, runId, signal) =>
      buildDebugBundle(
        { store, clock, version, mask: maskWith(checkers.forRun(owner)) },
        owner,
        runId,
        signal,
      ),
    viewTask: (owner, runId, taskId, fromRepeat) => viewTask(taskSources, owner, runId, taskId, fromRepeat),
    viewTasks: (run, ordinals) => viewTasks(taskSources, run, ordinals),
    taskEvents: (run, taskId, cursor) => readTaskEvents({ store, tables }, run, taskId, cursor),
    taskTexts: createTaskTexts({ sources: taskSources, tables }),
    report: createReports({ store, results, overridesOf, labelsOf }),
    reviews: createReviews(parts.reviewed),
    judges: parts.judgeCatalogue,
    calibrationOf: calibrations.of,
    tasks,
    listRuns: (owner, query) => listRuns({ store, outcomes }, owner, query),
    matrix: (owner, request) => readMatrix({ store, outcomes, ordinals }, owner, request),
    counts: (owner) => readCounts({ store, tasks }, owner),
    thresholdsOf: (run) => readThresholds(store, run),
    scorecard: (owner, runId) => readScorecard({ store, results }, owner, runId),
    compareRuns: (owner, request) =>
      readComparison({ store, results }, owner, request, config.regression.tolerance),
    looks: (owner, request) => readLooks({ store, results }, owner, request, config.regression.tolerance),
    compareJudges: (owner, before, after) =>
      readJudgeComparison({ store, results, contracts }, owner, before, after),
    history: (owner, request) => readHistory({ store, outcomes }, owner, request, config.gates),
    blessings: createBlessings({ store, clock }),
  } satisfies Partial<Touchstone>;
}
