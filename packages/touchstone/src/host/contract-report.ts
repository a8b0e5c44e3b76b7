import { type ContractReport, HostError, type Owner, type RunId } from '@touchstone/contract';
import type { Store } from '@touchstone/contract/ports';
import { buildContractReport } from '../scorecard/index.js';
import { contractTerms } from '../scoring/index.js';
import type { ContractDesk } from './contracts.js';
import { readResults, reportable } from './measured-run.js';
import { readSummary } from './scorecard-of.js';

/** Whether a completed run kept the contract its suite was compiled with. Folded anew with every call; reads no body. */
export async function readContractReport(
  { store, contracts }: { readonly store: Store; readonly contracts: ContractDesk },
  owner: Owner,
  runId: RunId,
): Promise<ContractReport> {
  const { run, plan } = await reportable(store, owner, runId);
  if (plan.contract === undefined)
    throw new HostError('not_found', 'The suite of this run has no contract, so there is no such report.');
  const contract = contractTerms(await contracts.pinned(owner, plan.contract));
  const summary = await readSummary(store, run);
  return buildContractReport({ runId, plan, contract, summary }, await readResults(store, run));
}
