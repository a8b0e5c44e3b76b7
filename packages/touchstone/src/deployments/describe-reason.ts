import type { EvidenceReason } from '@touchstone/protocol';

const SENTENCES: { readonly [R in EvidenceReason]: string } = {
  no_eval_run: 'The gate asks for an eval run and none was named. Run the suite, then give its run id.',
  not_found: 'There is no such run here. Check the run id, and that the run was made on this host.',
  not_an_eval: 'The run named is not an evaluation. Name a run of the suite that the gate asks for.',
  not_finished: 'The eval run has not ended yet. Wait for it, then ask again.',
  not_completed: 'The eval run failed or was cancelled, so it has no result. Run the suite again.',
  other_agent: 'The eval run is about another agent. Run the suite with the agent to be promoted.',
  other_version: 'The eval run is about another version. Run the suite with the version to be promoted.',
  agent_changed: 'The agent has changed since the eval run. Run the suite with the agent as it is now.',
  other_suite: 'The eval run is of another suite than the gate asks for. Run the suite that it names.',
  suite_changed: 'The suite has another content now, or is gone. Run it as it is installed now.',
  not_original: 'The eval run is a fork or judges old answers anew. Run the suite itself.',
  not_whole: 'The eval run left out tasks or modes of the suite, or added one. Run all of it as declared.',
  target_mismatch:
    'The suite was written for another agent, and the run let that pass. Use a suite for this one.',
  mock_model: 'A model or judge of the eval run gives prepared answers. Run the suite with real ones.',
  other_model:
    'The eval run asked another model than the agent asks in service. Run the suite without choosing one.',
  cached: 'Some answers of the eval run came from the cache. Run the suite without it.',
  other_judge:
    'The eval run has another judge than the gate asks for, or none. Run the suite with that judge.',
  too_old: 'The eval run ended too long ago for the gate. Run the suite again.',
  unscored: 'Some tasks of the eval run could not be scored. See its report for why, then run it again.',
  below_score:
    'The score is below the one that the gate asks for. Improve the agent and run the suite again.',
  not_passed: 'The eval run did not meet the bars of its suite. Improve the agent and run the suite again.',
  contract_unmet: 'The agent did not keep the contract of the suite. See the contract report of the run.',
  not_compared:
    'The run cannot be compared with the one of the version that serves now. Run the suite with both versions and the same judge.',
  regression: 'The agent does worse than the version that serves now. See the regression in the report.',
  inconclusive: 'The result is too uncertain for the gate. Use more tasks or more repeats.',
};

/** Why a run is no proof and what to do, for people. Names no one and quotes nothing. */
export const describeReason = (reason: EvidenceReason): string => SENTENCES[reason];
