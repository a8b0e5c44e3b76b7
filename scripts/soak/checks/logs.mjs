// The log of each run: contiguous, each task scored once, and its sums are those of the scorecard.
import { isRight } from '../agent.mjs';
import { parse } from '../calls.mjs';
import { eventsOf, openStream } from '../streams.mjs';
import { suiteNamed } from '../suites.mjs';

/** `onLog` gets each log, for what else is promised of it. Of a run that `isExcused`, the scores may be others. */
export async function checkLogs(soak, onLog, isExcused = async () => false) {
  const ends = {};
  for (const entry of soak.ledger.known().filter(({ ended }) => ended)) {
    const events = await readLog(soak, entry);
    const end = events.at(-1)?.type;
    ends[end] = (ends[end] ?? 0) + 1;
    checkSequence(soak, entry, events);
    if (end === 'run.completed') {
      if (!(await isExcused(entry))) await checkCompleted(soak, entry, events);
    } else if (!isExpected(entry, events.at(-1))) addEnd(soak, entry, events.at(-1));
    onLog?.(entry, events);
  }
  return ends;
}

const isExpected = ({ cancelled, suite }, { type, payload } = {}) =>
  type === 'run.cancelled'
    ? cancelled
    : type === 'run.failed' && payload.error.code === suiteNamed(suite).endsBy;

/** No agent of the soak fails: a run ends as completed, at its limit where it has one, or as cancelled where a caller asked for it. */
function addEnd({ findings }, { runId, suite }, last) {
  const code = last?.payload?.error?.code ?? '';
  findings.add(
    `a run ended with ${last?.type} ${code}`.trim(),
    `${runId} of ${suite}: ${JSON.stringify(last?.payload)}`,
  );
}

const withoutContent = ({ sequence, type, payload }) => ({
  sequence,
  type,
  payload: type.startsWith('agent.') ? undefined : payload,
});

/** Every event, or what `keep` makes of it. */
export async function readLog({ hosts, keys, random }, { tenant, runId }, keep = withoutContent) {
  const events = [];
  const response = await openStream(random.pick(hosts.running()), keys[tenant], runId, -1);
  if (response?.statusCode !== 200) return events;
  for await (const event of eventsOf(response)) events.push(keep(event));
  return events;
}

function checkSequence({ findings }, { runId }, events) {
  if (events.some(({ sequence }, at) => sequence !== at)) findings.add('a log is not contiguous', runId);
  const scored = events.filter(({ type }) => type === 'eval.scored').map(({ payload }) => payload.taskId);
  if (new Set(scored).size !== scored.length) findings.add('a task is scored twice', runId);
  const at = events.findIndex(({ type }) => type === 'eval.completed');
  if (at >= 0 && events.slice(at).some(({ type }) => type === 'eval.scored'))
    findings.add('a task is scored after the end', runId);
}

async function checkCompleted({ calls, keys, findings }, { tenant, runId, suite }, events) {
  const scores = events.filter(({ type }) => type === 'eval.scored').map(({ payload }) => payload);
  const { tasks, passes } = suiteNamed(suite);
  const wrong = scores.filter(({ taskId, passed }) => passed !== isRight(Number(taskId.slice(2))));
  if (wrong.length > 0) findings.add('a task has a wrong score', `${runId} ${JSON.stringify(wrong[0])}`);
  const { text } = await calls.call('GET', `/v1/runs/${runId}/eval-summary`, { key: keys[tenant] });
  const summary = parse(text ?? '') ?? {};
  const mean = scores.reduce((sum, { score }) => sum + score, 0) / scores.length;
  const holds =
    scores.length === tasks.length &&
    summary.taskCount === tasks.length &&
    summary.passedCount === passes &&
    Math.abs(summary.aggregateScore - mean) < 1e-9;
  if (!holds)
    findings.add('a scorecard is not the sum of its log', `${runId}: ${scores.length} scored, ${text}`);
}
