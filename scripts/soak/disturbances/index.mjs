// Everything that may go wrong, with how often it is chosen. Disturbances in the background overlap with those that follow.
import { brokenHttp } from './broken-http.mjs';
import { runOnCommandLine } from './commands.mjs';
import { cancelRun, pauseRun } from './control.mjs';
import { transitionAgent } from './deployments.mjs';
import { fullDisk } from './disk.mjs';
import { foreignIds } from './foreign.mjs';
import { fuzzRequests } from './fuzz.mjs';
import { revokedKey, wrongKeys } from './keys.mjs';
import { killHost, stopHost } from './processes.mjs';
import { largeAnswers, slowReader, stalledReaders } from './readers.mjs';
import { doubledRequest, swallowedAnswers } from './repeats.mjs';

const DISTURBANCES = [
  { disturb: killHost, weight: 4 },
  { disturb: stopHost, weight: 2 },
  { disturb: runOnCommandLine, weight: 3, inBackground: true },
  { disturb: fuzzRequests, weight: 3, inBackground: true },
  { disturb: brokenHttp, weight: 2, inBackground: true },
  { disturb: slowReader, weight: 3, inBackground: true },
  { disturb: stalledReaders, weight: 2, inBackground: true },
  { disturb: largeAnswers, weight: 2, inBackground: true },
  { disturb: fullDisk, weight: 2 },
  { disturb: revokedKey, weight: 1, inBackground: true },
  { disturb: wrongKeys, weight: 1, inBackground: true },
  { disturb: cancelRun, weight: 3, inBackground: true },
  { disturb: pauseRun, weight: 3, inBackground: true },
  { disturb: swallowedAnswers, weight: 3 },
  { disturb: doubledRequest, weight: 2, inBackground: true },
  { disturb: foreignIds, weight: 3, inBackground: true },
  { disturb: transitionAgent, weight: 3, inBackground: true },
];

export const disturbances = (random) => inTurns(DISTURBANCES, random);

/** Each disturbance once, in an order by chance, so that a short soak on a slow machine leaves none out; then by weight. */
export function* inTurns(list, random) {
  const once = [...list];
  while (once.length > 0) yield once.splice(random.below(once.length), 1)[0];
  const weighted = list.flatMap((one) => Array.from({ length: one.weight }, () => one));
  for (;;) yield random.pick(weighted);
}
