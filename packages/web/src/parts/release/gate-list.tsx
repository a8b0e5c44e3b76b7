import type { GateReview, MoveReview } from '@touchstone/protocol';
import { age, chance, duration, plural, score, signed } from '@touchstone/sdk/view';
import { IntervalMark } from '../../marks/interval.js';
import { Glyph } from '../glyphs.js';
import { stateWord } from './version-lane.js';

/** Every gate on the way: what it asks for, whether that is there, and what to do otherwise. */
export const GateList = ({ review: { gates } }: { readonly review: MoveReview }) => (
  <section class="gates" aria-label="Gates">
    {gates.length === 0 && <p class="muted">No gate stands in the way.</p>}
    <ul>
      {gates.map((gate) => (
        <li
          key={`${gate.to} ${gate.gateId}`}
          class="gate"
          data-testid="gate"
          data-gate={gate.gateId}
          data-met={gate.evidence?.met ?? true}
        >
          <h3>
            Gate {gate.gateId} <span class="muted">to {stateWord(gate.to)}</span>
          </h3>
          {gate.evidence && <EvidenceLine evidence={gate.evidence} />}
          {gate.approval && <ApprovalLine approval={gate.approval} />}
        </li>
      ))}
    </ul>
  </section>
);

type Evidence = NonNullable<GateReview['evidence']>;

/** Whether a run is the proof that a gate asks for, and why not. */
export const EvidenceLine = ({ evidence }: { readonly evidence: Evidence }) => {
  const { met, suite, required, score: mean, interval, reason, message, endedAt, runId } = evidence;
  return (
    <div class="gate-line">
      <Glyph outcome={met ? 'passed' : 'failed'} />
      <div>
        <p class="gate-score">
          {mean !== undefined && (
            <span>
              <span class="strong">{score(mean)}</span>
              {required !== undefined && ` ${mean >= required ? '≥' : '<'} ${score(required)}`}
            </span>
          )}
          {mean !== undefined && interval && (
            <IntervalMark value={mean} interval={interval} bar={required} width={120} />
          )}
          {runId === undefined ? (
            <span>{suite}</span>
          ) : (
            <a href={`/runs/${encodeURIComponent(runId)}`}>{suite}</a>
          )}
          {endedAt !== undefined && <span class="muted">{age(Date.now() - Date.parse(endedAt))} old</span>}
        </p>
        {evidence.compared?.map(({ version, change, p }) => (
          <p key={version} class="muted">
            against {version}: {signed(change)}
            {p !== undefined && `, p ${chance(p)}`}
          </p>
        ))}
        {reason !== undefined && (
          <p class="gate-reason" data-testid="gate-reason" data-reason={reason}>
            {message} <code>{reason}</code>
          </p>
        )}
      </div>
    </div>
  );
};

const ApprovalLine = ({ approval }: { readonly approval: NonNullable<GateReview['approval']> }) => {
  const { quorum, role, scope, excludeRequester, youMay, timeoutSec } = approval;
  const who = [role && `the role ${role}`, scope && `the scope ${scope}`].filter(Boolean).join(' and ');
  return (
    <div class="gate-line">
      <span class="waits" aria-hidden="true">
        ●
      </span>
      <p>
        {plural(quorum, 'grant')} by people with {who}
        {excludeRequester ? ', not by you' : youMay ? '; yours counts' : ''}
        {timeoutSec !== undefined && <span class="muted">, within {duration(timeoutSec * 1_000)}</span>}
      </p>
    </div>
  );
};
