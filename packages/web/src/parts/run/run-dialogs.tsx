import type { EvalRunSnapshot } from '@touchstone/sdk';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { navigate } from '../../address.js';
import { client } from '../../source.js';
import { Dialog, Field } from '../dialog.js';

export type RunAction = 'rejudge' | 'fork' | 'bless' | 'cancel' | 'pause' | 'resume';

type RunDialogProps = {
  readonly action: RunAction;
  readonly run: EvalRunSnapshot;
  readonly onDone: () => void;
  readonly onClose: () => void;
  readonly say: (text: ComponentChildren) => void;
};

/** Says what will change before it is done. */
export function RunDialog(props: RunDialogProps) {
  if (props.action === 'rejudge') return <Rejudge {...props} />;
  if (props.action === 'fork') return <Fork {...props} />;
  return <Confirm {...props} action={props.action} />;
}

const showRun = ({ runId }: { readonly runId: string }): void =>
  navigate(`/runs/${encodeURIComponent(runId)}`);

function Rejudge({ run, onClose }: RunDialogProps) {
  const [judge, setJudge] = useState('');
  const [votes, setVotes] = useState('');
  const start = async (): Promise<void> =>
    showRun(
      await client.runs.rejudge(run.runId as never, {
        ...(judge !== '' && { judge }),
        ...(votes !== '' && { votes: Number(votes) }),
      }),
    );
  return (
    <Dialog name="Judge again…" confirm="Judge again" onConfirm={start} onClose={onClose}>
      <p>The recorded answers are judged once more, as a new run. No agent is invoked; the judge costs.</p>
      <div class="fields">
        <Field name="Judge" note="the configured one when empty" isWide>
          {(id) => (
            <input
              id={id}
              placeholder="provider/model"
              maxLength={256}
              value={judge}
              onInput={(event) => setJudge(event.currentTarget.value)}
            />
          )}
        </Field>
        <Field name="Votes">
          {(id) => (
            <input
              id={id}
              type="number"
              min={1}
              max={25}
              value={votes}
              onInput={(event) => setVotes(event.currentTarget.value)}
            />
          )}
        </Field>
      </div>
    </Dialog>
  );
}

function Fork({ run, onClose }: RunDialogProps) {
  const [mode, setMode] = useState<'replay' | 'branch'>('replay');
  const [from, setFrom] = useState('0');
  const isBranch = mode === 'branch';
  const start = async (): Promise<void> =>
    showRun(await client.runs.fork(run.runId as never, { mode, ...(isBranch && { fromSeq: Number(from) }) }));
  return (
    <Dialog name="Fork…" confirm="Fork" onConfirm={start} onClose={onClose}>
      <Field name="How">
        {(id) => (
          <select
            id={id}
            value={mode}
            onChange={(event) => setMode(event.currentTarget.value as 'replay' | 'branch')}
          >
            <option value="replay">Replay: read the same facts again, call nothing</option>
            <option value="branch">Branch: keep what lies before an event, and run on from there</option>
          </select>
        )}
      </Field>
      {isBranch && (
        <Field name="From event">
          {(id) => (
            <input
              id={id}
              type="number"
              min={0}
              value={from}
              onInput={(event) => setFrom(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
    </Dialog>
  );
}

type Confirmed = Exclude<RunAction, 'rejudge' | 'fork'>;

const CONFIRMATIONS: {
  readonly [action in Confirmed]: {
    readonly name: string;
    readonly confirm: string;
    readonly words: string;
    readonly done: string;
  };
} = {
  bless: {
    name: 'Bless as baseline…',
    confirm: 'Bless as baseline',
    words: 'Later runs of the same suite, agent and judge are measured by this one.',
    done: 'This run is the baseline now.',
  },
  cancel: {
    name: 'Cancel…',
    confirm: 'Cancel the run',
    words: 'Tasks at work are given up; finished tasks keep their results. A cancelled run has no scorecard.',
    done: 'Cancelled.',
  },
  pause: {
    name: 'Pause…',
    confirm: 'Pause',
    words: 'No further task is started until the run is resumed.',
    done: 'Pausing.',
  },
  resume: { name: 'Resume', confirm: 'Resume', words: 'Tasks are started again.', done: 'Resumed.' },
};

function Confirm({ action, run, onDone, onClose, say }: RunDialogProps & { readonly action: Confirmed }) {
  const { name, confirm, words, done } = CONFIRMATIONS[action];
  const act = async (): Promise<void> => {
    if (action === 'bless') await client.baselines.bless(run.runId as never);
    else await client.runs[action](run.runId as never);
    say(done);
    onDone();
  };
  return (
    <Dialog name={name} confirm={confirm} onConfirm={act} onClose={onClose}>
      <p>{words}</p>
    </Dialog>
  );
}
