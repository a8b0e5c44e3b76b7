import type { Confusion } from '@touchstone/protocol';
import { whole } from '@touchstone/sdk/view';

/** Rows are what people said, columns what the judge said. */
export const ConfusionTable = ({ confusion: { tp, fp, fn, tn } }: { readonly confusion: Confusion }) => (
  <table class="confusion" data-testid="confusion" data-tp={tp} data-fp={fp} data-fn={fn} data-tn={tn}>
    <caption class="unseen">What people said, by row, and what the judge said, by column</caption>
    <thead>
      <tr>
        <td />
        <th scope="col">judge: met</th>
        <th scope="col">unmet</th>
      </tr>
    </thead>
    <tbody>
      <tr>
        <th scope="row">people: met</th>
        <td>{whole(tp)}</td>
        <td class={fn > 0 ? 'differs' : ''}>{whole(fn)}</td>
      </tr>
      <tr>
        <th scope="row">unmet</th>
        <td class={fp > 0 ? 'differs' : ''}>{whole(fp)}</td>
        <td>{whole(tn)}</td>
      </tr>
    </tbody>
  </table>
);
