import type { JudgeAgreement } from '@touchstone/protocol';
import { kappaWords, percent, plural } from '@touchstone/sdk/view';
import { kappaText } from '../../kappa-text.js';

type JudgeProps = { readonly judge: JudgeAgreement };
type CriterionProps = { readonly hrefOf: (criterion: string | undefined) => string };
type DisagreementProps = { readonly criterion: string | undefined };

/** The sentences of criteria are content: they are read where a task is opened. A criterion leads to what is disputed about it. */
export const CriterionTable = ({ judge: { criteria }, hrefOf }: JudgeProps & CriterionProps) => (
  <section aria-labelledby="by-criterion">
    <h2 id="by-criterion">By criterion</h2>
    <div class="scrolls">
      <table class="plain">
        <thead>
          <tr>
            <th scope="col">Criterion</th>
            <th scope="col" class="number">
              Labels
            </th>
            <th scope="col" class="number">
              Agreement
            </th>
            <th scope="col" class="number">
              Kappa
            </th>
            <th scope="col">Reading</th>
            <th scope="col" class="number">
              Judge too kind
            </th>
            <th scope="col" class="number">
              Judge too strict
            </th>
          </tr>
        </thead>
        <tbody>
          {criteria.map(({ id, n, agreement, kappa, confusion }) => (
            <tr key={id} data-criterion={id}>
              <th scope="row" class="id">
                <a href={hrefOf(id)}>{id}</a>
              </th>
              <td class="number">{n}</td>
              <td class="number">{agreement === undefined ? '–' : percent(agreement)}</td>
              <td class="number">{kappa === undefined ? '–' : kappaText(kappa)}</td>
              <td>{kappa === undefined ? 'undefined' : kappaWords(kappa)}</td>
              <td class={confusion.fp > 0 ? 'number worse' : 'number'}>{confusion.fp}</td>
              <td class={confusion.fn > 0 ? 'number worse' : 'number'}>{confusion.fn}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  </section>
);

const word = (met: boolean): string => (met ? 'met' : 'unmet');

export function Disagreements({
  judge,
  criterion: only,
  hrefOf,
}: JudgeProps & CriterionProps & DisagreementProps) {
  const shown = judge.disagreements.filter(({ criterion }) => only === undefined || criterion === only);
  return (
    <section aria-labelledby="disagreements">
      <h2 id="disagreements">{plural(shown.length, 'disagreement')}</h2>
      {only !== undefined && (
        <p class="filters">
          <a class="button" href={hrefOf(undefined)} aria-label={`Remove the filter criterion ${only}`}>
            criterion {only} <span aria-hidden="true">×</span>
          </a>
        </p>
      )}
      {shown.length > 0 && (
        <div class="scrolls">
          <table class="plain">
            <thead>
              <tr>
                <th scope="col">Task</th>
                <th scope="col">Criterion</th>
                <th scope="col">Person</th>
                <th scope="col">Judge</th>
                <th scope="col">Who</th>
                <th scope="col">Blind</th>
              </tr>
            </thead>
            <tbody>
              {shown.map(({ runId, taskId, criterion, person, judge, by, blind }) => (
                <tr
                  key={`${runId} ${taskId} ${criterion} ${by}`}
                  data-testid="disagreement"
                  data-task={taskId}
                >
                  <th scope="row">
                    <a href={`/runs/${encodeURIComponent(runId)}/tasks/${encodeURIComponent(taskId)}`}>
                      {taskId}
                    </a>
                  </th>
                  <td class="id">{criterion}</td>
                  <td class="strong">{word(person)}</td>
                  <td>{word(judge)}</td>
                  <td>{by}</td>
                  <td>{blind ? 'blind' : 'seen'}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}
