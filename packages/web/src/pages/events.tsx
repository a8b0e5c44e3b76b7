import type { EvalRunSnapshot, RunEvent } from '@touchstone/sdk';
import { plural, whole } from '@touchstone/sdk/view';
import { useEffect, useState } from 'preact/hooks';
import { navigate, useAddress, withQuery } from '../address.js';
import { Body } from '../parts/body.js';
import { ErrorBox } from '../parts/error-box.js';
import { type Column, Grid } from '../parts/grid/grid.js';
import { RunTitle } from '../parts/run/run-title.js';
import { Empty, Skeleton } from '../parts/states.js';
import { EvalRunOf } from '../queries/use-eval-run.js';
import { useEventPages } from '../queries/use-event-pages.js';
import { hasContent, leftOutOf } from '../source.js';
import '../styles/events.css';

export const EventsPage = ({ runId }: { readonly runId: string }) => (
  <EvalRunOf runId={runId}>
    {(run, reload) =>
      hasContent() ? <Events run={run} reload={reload} /> : <NoEvents run={run} reload={reload} />
    }
  </EvalRunOf>
);

type EventsProps = { readonly run: EvalRunSnapshot; readonly reload: () => void };

const NoEvents = ({ run, reload }: EventsProps) => (
  <>
    <RunTitle run={run} part="Events" reload={reload} />
    <Empty command={`touchstone export ${run.runId} --html report.html --bodies`}>
      This file was written without inputs and answers, and so without its log. With --bodies it has them:
    </Empty>
  </>
);

/** Those that people look for; every other type can be put into the address. */
const GROUPS: readonly (readonly [name: string, types: string])[] = [
  ['All', ''],
  ['Scores', 'eval.scored'],
  ['Answers', 'agent.decided'],
  ['Tools', 'agent.toolCalled,agent.toolReturned'],
  ['Models', 'provider.usage'],
  ['Reasoning', 'agent.reasoned'],
  [
    'Run',
    'run.started,run.paused,run.resumed,run.completed,run.failed,run.cancelled,eval.started,eval.completed',
  ],
];

const COLUMNS: readonly Column<RunEvent>[] = [
  { id: 'sequence', name: 'No.', isNumber: true, cell: ({ sequence }) => whole(sequence) },
  { id: 'clock', name: 'Time (UTC)', cell: ({ timestamp }) => timestamp.slice(11, 23) },
  { id: 'type', name: 'Type', cell: ({ type }) => type },
  { id: 'node', name: 'Task', cell: ({ nodeId }) => nodeId },
  { id: 'payload', name: 'Payload', cell: ({ payload }) => JSON.stringify(payload).slice(0, 300) },
];

function Events({ run, reload }: EventsProps) {
  const address = useAddress();
  const types = address.query.get('types') ?? '';
  const events = useEventPages(run.runId, types === '' ? [] : types.split(','));
  const [active, setActive] = useState(-1);
  const { agent } = run.touchstone;
  useEffect(() => {
    document.title = `Events · ${agent.agentId}@${agent.version} · Touchstone`;
  }, [agent]);
  useEffect(() => setActive(-1), [types]);
  const chosen = events.rowAt(active);
  const leftOut = leftOutOf(run.runId);
  return (
    <div class={chosen ? 'run with-panel' : 'run'}>
      <RunTitle run={run} part="Events" reload={reload} />
      <div class="filters" role="toolbar" aria-label="Filters">
        {GROUPS.map(([name, value]) => (
          <button
            key={name}
            type="button"
            class="toggle"
            aria-pressed={types === value}
            onClick={() => navigate(withQuery(address, { types: value }))}
          >
            {name}
          </button>
        ))}
        <span class="matched" data-testid="matched" role="status">
          {events.isAll ? plural(events.count, 'event') : `${whole(events.count)} events, more below`}
        </span>
      </div>
      {leftOut > 0 && (
        <p class="note" role="status">
          The file has no room for the events of {plural(leftOut, 'task')}. Those of tasks that did not pass
          come first.
        </p>
      )}
      {events.error !== undefined && <ErrorBox error={events.error} onRetry={events.reload} />}
      <div class="run-body events">
        {events.isFirst && events.error === undefined && <Skeleton />}
        {!events.isFirst && events.count === 0 && <Empty>The log has no such event.</Empty>}
        {events.count > 0 && (
          <Grid
            label="Events"
            name="events"
            count={events.count}
            columns={COLUMNS}
            rowAt={events.rowAt}
            onSight={events.onSight}
            active={active}
            onMove={setActive}
            onOpen={setActive}
            rowProps={({ sequence, type }) => ({ 'data-sequence': sequence, 'data-type': type })}
          />
        )}
        {chosen && <Payload event={chosen} onClose={() => setActive(-1)} />}
      </div>
    </div>
  );
}

const Payload = ({ event, onClose }: { readonly event: RunEvent; readonly onClose: () => void }) => (
  <aside class="panel" aria-label={`Event ${event.sequence}`}>
    <div class="panel-head">
      <h2 class="id">
        {event.sequence} {event.type}
      </h2>
      <button type="button" class="quiet" onClick={onClose}>
        Close
      </button>
    </div>
    <dl class="facts">
      <dt>Event</dt>
      <dd class="id">{event.eventId}</dd>
      <dt>Time</dt>
      <dd>{event.timestamp}</dd>
      {event.nodeId !== undefined && (
        <>
          <dt>Task</dt>
          <dd class="id">{event.nodeId}</dd>
        </>
      )}
      {event.causationId !== undefined && (
        <>
          <dt>Follows</dt>
          <dd class="id">{event.causationId}</dd>
        </>
      )}
    </dl>
    <Body value={event.payload as never} testId="event-payload" />
  </aside>
);
