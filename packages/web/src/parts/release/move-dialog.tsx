import type { BoardAgent, BoardVersion, MoveReview } from '@touchstone/protocol';
import { plural } from '@touchstone/sdk/view';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { useMoveReview } from '../../queries/use-move-review.js';
import { Dialog, Field, Reason } from '../dialog.js';
import { ErrorBox } from '../error-box.js';
import { Skeleton } from '../states.js';
import { Channels } from './channels.js';
import { GateList } from './gate-list.js';
import { carryOut, MOVES, type MoveForm, type MoveKind, type MoveResult } from './moves.js';
import { stateWord } from './version-lane.js';

type MoveDialogProps = {
  readonly agent: BoardAgent;
  readonly version: BoardVersion;
  readonly kind: MoveKind;
  readonly onClose: () => void;
  readonly onDone: (told: ComponentChildren) => void;
};

/** The states that a promotion can lead to, the next one first. */
const AHEAD = ['test', 'staged', 'active'] as const;
function aheadOf({ state }: BoardVersion): readonly (typeof AHEAD)[number][] {
  const at = AHEAD.indexOf(state as (typeof AHEAD)[number]);
  return state === 'active' || state === 'paused' ? ['active'] : AHEAD.slice(at + 1);
}

/** Shows what the host would decide, and what would serve afterwards, before anything is asked for. */
export function MoveDialog({ agent, version, kind, onClose, onDone }: MoveDialogProps) {
  const ahead = aheadOf(version);
  const [form, setForm] = useState<MoveForm>({
    to: ahead[0] ?? 'active',
    channel: 'stable',
    share: version.canaryPercent ?? 100,
    reason: '',
  });
  const change = (part: Partial<MoveForm>): void => setForm((old) => ({ ...old, ...part }));
  const { review, error, runs, chosen } = useMoveReview(agent.agentId, version, kind, form);
  const { evalRunId: _, ...place } = form;
  const asked: MoveForm = { ...place, ...(chosen !== undefined && { evalRunId: chosen }) };
  const { name, confirm } = MOVES[kind];
  return (
    <Dialog
      name={name}
      confirm={confirmWord(confirm, review)}
      denied={error === undefined ? whyNot(review) : 'The host does not say what it would decide.'}
      onClose={onClose}
      onConfirm={async () => {
        if (!review) return;
        onDone(resultWords(version, review, await carryOut(kind, agent, version, asked, review)));
      }}
    >
      <p>
        <code>
          {agent.agentId}@{version.version}
        </code>{' '}
        <span class={`chip ${version.state}`}>{stateWord(version.state)}</span>
      </p>
      <div class="fields">
        {kind === 'promote' && <Target form={form} ahead={ahead} onChange={change} />}
        {(kind === 'share' || (kind === 'promote' && form.to === 'active')) && (
          <ShareField share={form.share} onChange={(share) => change({ share })} />
        )}
        {kind === 'promote' && (
          <EvidenceField runs={runs} chosen={chosen} fits={review?.fits ?? []} onChange={change} />
        )}
      </div>
      {error !== undefined && <ErrorBox error={error} />}
      {!review && error === undefined && <Skeleton rows={3} />}
      {review && <GateList review={review} />}
      {review && <Effect agent={agent} review={review} />}
      <Reason value={form.reason} onInput={(reason) => change({ reason })} />
    </Dialog>
  );
}

/** Different people who have to agree at the gates on the way. */
const peopleFor = ({ gates }: MoveReview): number =>
  Math.max(0, ...gates.map(({ approval }) => approval?.quorum ?? 0));

function confirmWord(confirm: string, review: MoveReview | undefined): string {
  const people = review ? peopleFor(review) : 0;
  return people > 0 ? `Ask ${people === 1 ? '1 person' : `${people} people`}` : confirm;
}

/** Why the host would refuse it; undefined when it would not. */
function whyNot(review: MoveReview | undefined): string | undefined {
  if (!review) return 'Asking the host what it would decide.';
  const { move, unmet } = review;
  if (!move.allowed) return `Your key lacks the scope ${move.scope}.`;
  return move.issue ?? unmet?.message;
}

function resultWords(
  { version }: BoardVersion,
  { after }: MoveReview,
  { waitingRun }: MoveResult,
): ComponentChildren {
  if (waitingRun === undefined) return `${version} is now ${stateWord(after?.state ?? '')}.`;
  return (
    <>
      People are asked. <a href={`/approvals/${encodeURIComponent(waitingRun)}`}>See the question</a>
    </>
  );
}

type TargetProps = {
  readonly form: MoveForm;
  readonly ahead: readonly MoveForm['to'][];
  readonly onChange: (part: Partial<MoveForm>) => void;
};

const Target = ({ form, ahead, onChange }: TargetProps) => (
  <>
    <Field name="To">
      {(id) => (
        <select
          id={id}
          value={form.to}
          onChange={(event) => onChange({ to: event.currentTarget.value as MoveForm['to'] })}
        >
          {ahead.map((state) => (
            <option key={state}>{state}</option>
          ))}
        </select>
      )}
    </Field>
    {form.to === 'active' && (
      <Field name="Channel">
        {(id) => (
          <select
            id={id}
            value={form.channel}
            onChange={(event) => onChange({ channel: event.currentTarget.value as MoveForm['channel'] })}
          >
            <option>stable</option>
            <option>canary</option>
          </select>
        )}
      </Field>
    )}
  </>
);

type ShareProps = { readonly share: number; readonly onChange: (share: number) => void };

const ShareField = ({ share, onChange }: ShareProps) => (
  <Field name="Share, %">
    {(id) => (
      <input
        id={id}
        type="number"
        min={0}
        max={100}
        step={1}
        required
        value={share}
        onInput={(event) => {
          const value = event.currentTarget.valueAsNumber;
          if (Number.isInteger(value) && value >= 0 && value <= 100) onChange(value);
        }}
      />
    )}
  </Field>
);

type EvidenceFieldProps = {
  readonly runs: readonly { readonly runId: string; readonly words: string }[];
  readonly chosen: string | undefined;
  readonly fits: readonly string[];
  readonly onChange: (part: Partial<MoveForm>) => void;
};

const EvidenceField = ({ runs, chosen, fits, onChange }: EvidenceFieldProps) => (
  <Field name="Evidence" note={`${plural(runs.length, 'run')} of this version`} isWide>
    {(id) => (
      <select
        id={id}
        value={chosen ?? ''}
        onChange={(event) => onChange({ evalRunId: event.currentTarget.value })}
      >
        <option value="">none</option>
        {runs.map(({ runId, words }) => (
          <option key={runId} value={runId}>
            {fits.includes(runId) ? '✓ ' : ''}
            {words}
          </option>
        ))}
      </select>
    )}
  </Field>
);

/** What serves now, and what would afterwards; channels that stay as they are are left out. */
function Effect({ agent, review: { after } }: { readonly agent: BoardAgent; readonly review: MoveReview }) {
  if (!after) return null;
  const now = new Map(agent.channels.map((channel) => [channel.name, JSON.stringify(channel.line)]));
  const changed = after.channels.filter(({ name, line }) => now.get(name) !== JSON.stringify(line));
  const names = changed.map(({ name }) => name);
  return (
    <section class="effect" aria-label="What would serve">
      {changed.length === 0 ? (
        <p class="muted">What serves stays as it is. The version would be {stateWord(after.state)}.</p>
      ) : (
        <>
          <div>
            <h3>Now</h3>
            <Channels channels={agent.channels.filter(({ name }) => names.includes(name))} />
          </div>
          <div>
            <h3>Then</h3>
            <Channels channels={changed} />
          </div>
        </>
      )}
    </section>
  );
}
