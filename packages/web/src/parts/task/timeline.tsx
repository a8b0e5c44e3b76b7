import type { TaskEvents, TaskSpan } from '@touchstone/protocol';
import { duration, plural, usd, whole } from '@touchstone/sdk/view';
import { useState } from 'preact/hooks';
import { SpanMark } from '../../marks/waterfall.js';
import { useTaskEvents } from '../../queries/use-task-events.js';
import { Body } from '../body.js';
import { ErrorBox } from '../error-box.js';
import { type Column, Grid } from '../grid/grid.js';
import { Section } from '../section.js';
import { Skeleton } from '../states.js';
import { textsOf } from './steps.js';
import { type TaskStep, withVotesTogether } from './votes.js';
import '../../styles/timeline.css';

type TimelineProps = { readonly runId: string; readonly taskId: string; readonly repeat: number };

/** The calls of one repeat, one below the other, and what was said in the one that is chosen. */
export function Timeline({ runId, taskId, repeat }: TimelineProps) {
  const { data, error, reload, readOn } = useTaskEvents(runId, taskId);
  const [active, setActive] = useState(-1);
  if (error !== undefined)
    return (
      <Section name="Timeline">
        <ErrorBox error={error} onRetry={reload} />
      </Section>
    );
  if (!data)
    return (
      <Section name="Timeline">
        <Skeleton rows={3} />
      </Section>
    );
  const spans = data.spans.filter((span) => span.repeat === repeat);
  if (spans.length === 0)
    return (
      <Section name="Timeline">
        <p class="muted">No model and no tool was called through this host.</p>
      </Section>
    );
  const totalMs = Math.max(...spans.map(({ startMs, durationMs }) => startMs + durationMs), 1);
  const steps = withVotesTogether(spans);
  const chosen = steps[active];
  return (
    <Section
      name="Timeline"
      beside={
        <span class="muted">
          {plural(spans.length, 'call')} in {duration(totalMs)}
          {spans.some(isAfterwards) && '; judging is not part of the task’s time'}
        </span>
      }
    >
      <div class={chosen ? 'timeline with-step' : 'timeline'}>
        <Grid
          label="Timeline"
          name="timeline"
          rowId="step"
          count={steps.length}
          columns={columnsOf(totalMs)}
          rowAt={(index) => steps[index]}
          active={active}
          onMove={setActive}
          onOpen={setActive}
          rowProps={({ kind, eventId }) => ({
            'data-testid': 'span',
            'data-kind': kind,
            'data-event': eventId,
          })}
        />
        {chosen && <Step span={chosen} events={data} onReadOn={readOn} />}
      </div>
    </Section>
  );
}

const isAfterwards = ({ kind }: TaskSpan): boolean => kind === 'judge' || kind === 'embedder';

const columnsOf = (totalMs: number): readonly Column<TaskStep>[] => [
  { id: 'kind', name: 'Step', cell: ({ kind, simulatedUser }) => (simulatedUser ? 'user' : kind) },
  { id: 'step', name: 'Name', cell: (step) => <StepName step={step} /> },
  {
    id: 'waterfall',
    name: `0 to ${duration(totalMs)}`,
    cell: (span) => <SpanMark span={span} totalMs={totalMs} />,
  },
  { id: 'took', name: 'Time', isNumber: true, cell: timeOf },
  { id: 'used', name: 'Tokens', isNumber: true, cell: usedOf },
  { id: 'price', name: 'Cost', isNumber: true, cell: ({ costUsd }) => costUsd !== undefined && usd(costUsd) },
];

/** How often a judge was asked stays in sight where its name has to give way. */
const StepName = ({ step: { name, calls } }: { readonly step: TaskStep }) => (
  <span class="long-name" title={name}>
    <span class="step-name">{name}</span>
    {calls && <span class="long-name-tail">&nbsp;× {calls.length}</span>}
  </span>
);

const timeOf = ({ untimed, kind, durationMs }: TaskSpan): string =>
  untimed ? 'not timed' : kind === 'memory' ? '' : duration(durationMs);

const usedOf = ({ tokens, status }: TaskSpan): string =>
  tokens ? `${whole(tokens.input)} → ${whole(tokens.output)}` : (status ?? '');

type StepProps = {
  readonly span: TaskStep;
  readonly events: TaskEvents;
  readonly onReadOn: () => void;
};

/** What was said in one step. */
function Step({ span, events, onReadOn }: StepProps) {
  const texts = textsOf(span, events.spans, events.items);
  return (
    <section class="step" aria-label={`Step ${span.kind} ${span.name}`}>
      <p class="id">
        {span.name}
        {span.calls && ` × ${span.calls.length}`} <span class="muted">at {duration(span.startMs)}</span>
      </p>
      {span.calls && <Votes calls={span.calls} />}
      {texts?.map(({ name, value }, at) => (
        <div key={`${name}${at}`}>
          <h3>{name}</h3>
          <Body value={value} />
        </div>
      ))}
      {texts?.length === 0 && <p class="muted">{NOTHING_SAID[span.kind]}</p>}
      {texts === undefined && events.nextCursor !== undefined && (
        <button type="button" onClick={onReadOn}>
          Read further events of this task
        </button>
      )}
      {texts === undefined && events.nextCursor === undefined && (
        <p class="muted">The log has not got this far yet.</p>
      )}
    </section>
  );
}

/** Each vote of a judge by itself. */
const Votes = ({ calls }: { readonly calls: readonly TaskSpan[] }) => (
  <ol class="step-votes">
    {calls.map((call) => (
      <li key={`${call.startMs} ${call.eventId}`} data-testid="vote">
        {[
          timeOf(call),
          `at ${duration(call.startMs)}`,
          usedOf(call),
          call.costUsd === undefined ? '' : usd(call.costUsd),
        ]
          .filter((part) => part !== '')
          .join(' · ')}
      </li>
    ))}
  </ol>
);

const NOTHING_SAID: { readonly [kind in TaskSpan['kind']]: string } = {
  model:
    'The model said nothing on record in this call. Its tool calls and the answer are steps of their own.',
  tool: 'The call has neither inputs nor an outcome.',
  memory: 'Nothing was written.',
  judge: 'What the judge decided, and why, stands with the criteria.',
  embedder: 'It turns texts into numbers, and says nothing.',
};
