import type { JudgeAgreement } from '@touchstone/protocol';
import { fewLabelsWords, kappaWords, percent, plural, usd } from '@touchstone/sdk/view';
import { kappaText } from '../../kappa-text.js';
import { IntervalMark } from '../../marks/interval.js';
import { KappaMark } from '../../marks/kappa.js';
import { ConfusionTable } from './confusion-table.js';

type JudgeFiguresProps = {
  readonly judge: JudgeAgreement;
  /** The least kappa that is wanted. */
  readonly least: number;
};

/** How far a judge agrees with people. Labels given blind come first: who has seen a verdict tends to agree with it. */
export function JudgeFigures({ judge, least }: JudgeFiguresProps) {
  const { blind, all, people, costUsd } = judge;
  const isBlind = blind.n > 0;
  const { n, kappa, kappaInterval, agreement, interval, confusion } = isBlind ? blind : all;
  const few = fewLabelsWords(n);
  return (
    <div class="judge-figures">
      <div class="judge-figure">
        <p class="figure-name">Kappa{isBlind ? '' : ', none of the labels blind'}</p>
        <p>
          <span class="big" data-testid="kappa" data-value={kappa} data-n={n}>
            {kappa === undefined ? '–' : kappaText(kappa)}
          </span>{' '}
          <span>{kappaWords(kappa)}</span>{' '}
          {kappaInterval && (
            <span class="muted">
              {kappaText(kappaInterval[0])} – {kappaText(kappaInterval[1])}
            </span>
          )}
        </p>
        {kappa !== undefined && <KappaMark kappa={kappa} people={people?.kappa} least={least} />}
        <Demand kappa={kappa} least={least} />
        {people?.kappa !== undefined && <p class="muted small">┊ people among themselves</p>}
      </div>
      <div class="judge-figure">
        <p class="figure-name">Agreement</p>
        <p>
          <span class="big">{agreement === undefined ? '–' : percent(agreement)}</span>{' '}
          {interval && (
            <span class="muted">
              {percent(interval[0])} – {percent(interval[1])}
            </span>
          )}
        </p>
        {agreement !== undefined && interval && (
          <IntervalMark value={agreement} interval={interval} name="Agreement" />
        )}
      </div>
      <ConfusionTable confusion={confusion} />
      <dl class="judge-facts">
        <dt>All labels</dt>
        <dd>
          {all.n}
          {all.kappa !== undefined && `, kappa ${kappaText(all.kappa)}`}
        </dd>
        <dt>People among themselves</dt>
        <dd>
          {people === undefined
            ? 'no two have decided the same'
            : `${people.kappa === undefined ? 'kappa undefined' : `kappa ${kappaText(people.kappa)}`}, ${plural(people.n, 'pair')}`}
        </dd>
        {costUsd !== undefined && (
          <>
            <dt>Judging these cost</dt>
            <dd>{usd(costUsd)}</dd>
          </>
        )}
      </dl>
      {few !== undefined && <p class="note few">{few}</p>}
    </div>
  );
}

/** In the words of `touchstone judge check --min-kappa`. */
const Demand = ({ kappa, least }: { readonly kappa: number | undefined; readonly least: number }) => {
  const isMet = kappa !== undefined && kappa >= least;
  return (
    <p class={isMet ? 'small' : 'small worse'} data-testid="min-kappa" data-met={isMet}>
      <span class="gold" aria-hidden="true">
        ┃
      </span>{' '}
      {isMet ? `at least ${least}` : `below the min kappa of ${least}`}
    </p>
  );
};
