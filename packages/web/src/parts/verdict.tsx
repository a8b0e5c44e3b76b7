import { GLYPHS, type Verdict, wordOf } from '../run-words.js';

export const VerdictBadge = ({
  verdict,
  status,
}: {
  readonly verdict: Verdict | undefined;
  readonly status: string;
}) => (
  <span class={`verdict ${verdict ?? 'open'}`} data-testid="verdict" data-verdict={verdict}>
    <span aria-hidden="true">{verdict ? GLYPHS[verdict] : '●'}</span> {wordOf(verdict, status)}
  </span>
);
