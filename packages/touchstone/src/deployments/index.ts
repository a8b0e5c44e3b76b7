export { castVote } from './cast-vote.js';
export { resolveChannel, rivalsOf, shares } from './channels.js';
export { decideBaseline, decideEvidence, describeReason, type EvidenceClaim } from './decide-evidence.js';
export { decideTransition } from './decide-transition.js';
export { noDeployments, rowOf, stateOf } from './picture.js';
export { deploymentRecords } from './records.js';
export { matchingGates, scopeOf, targetState } from './states.js';
