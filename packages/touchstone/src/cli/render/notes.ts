import type { RunResult } from '../result.js';
import { plural } from './units.js';

/** `local/small-1`, and whether its answers were written down beforehand. */
export const modelName = ({ provider, model, mock }: NonNullable<RunResult['model']>): string =>
  `${provider}/${model}${mock ? ' (mock)' : ''}`;

/** What a reader has to know before taking the score for more than it is. */
export const notesOf = ({ nondeterministic, cacheHits = 0 }: RunResult): readonly string[] => [
  ...(nondeterministic ? ['Live tools and memory were used: scores may differ next time.'] : []),
  ...(cacheHits > 0
    ? [`${plural(cacheHits, 'model call')} came from the cache: this run is no evidence for a gate.`]
    : []),
];
