import type { EvalReport } from '@touchstone/protocol';
import { detectableWords, percent, plural, whole } from '@touchstone/sdk/view';
import { LineChart } from '../../marks/line-chart.js';
import { Section } from '../section.js';
import { AsTable } from '../table.js';

const drops = (drop: number): string => drop.toFixed(3);

/** How large a drop has to be before this comparison shows it. */
export function Power({ report: { power, halfDrop, regression } }: { readonly report: EvalReport }) {
  if (!regression) return null;
  if (!power)
    return (
      <Section name="What it could have shown">
        <p data-testid="smallest-drop">{detectableWords(regression)}</p>
      </Section>
    );
  const { smallestDetectableDrop: smallest, tolerance, tasks } = regression;
  return (
    <Section name="What it could have shown">
      <p data-testid="smallest-drop">{detectableWords(regression)}</p>
      {halfDrop && (
        <p class="muted">
          With {plural(tasks.paired, 'paired task')} now; {whole(halfDrop.tasks)} would show a drop of{' '}
          {drops(halfDrop.drop)}.
        </p>
      )}
      <LineChart
        label={`Chance that a drop is found: 80 % at a drop of ${drops(smallest ?? 0)}.`}
        nameX="true drop of the score"
        showX={drops}
        showY={percent}
        series={[{ name: 'chance', points: power.map(({ drop, chance }) => [drop, chance] as const) }]}
        bars={tolerance > 0 ? [{ at: tolerance, name: 'tolerated' }] : []}
      />
      <AsTable
        label="Chance that a drop is found"
        head={['Drop', 'Chance']}
        rows={power.map(({ drop, chance }) => [drops(drop), percent(chance)])}
      />
    </Section>
  );
}
