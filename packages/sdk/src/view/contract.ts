import type { ContractReport, ContractVerdict, GateStatus, ReportedGate } from '@touchstone/protocol';
import { duration, percent, whole } from './units.js';

type Sla = NonNullable<ContractReport['sla']>;

/** What became of a contract, in a word or two. */
export const KEPT: { readonly [verdict in ContractVerdict]: string } = {
  pass: 'kept',
  fail: 'not kept',
  error: 'not known whether it is kept',
};

/** `not kept; the thresholds of the suite are met`: the two who have a say, each by its name. */
export const keptWords = (verdict: ContractVerdict, passed: boolean): string =>
  `${KEPT[verdict]}; the thresholds of the suite are ${passed ? 'met' : 'missed'}`;

/** `9 of 10`, and how many of them have no verdict. */
export function metWords({ met, applicable, unjudged }: ReportedGate): string {
  if (applicable === 0) return unjudged === undefined ? 'not tried' : `${whole(unjudged)} not judged`;
  const open = unjudged === undefined ? '' : `, ${whole(unjudged)} not judged`;
  return `${whole(met)} of ${whole(applicable)}${open}`;
}

/** The mean degree where it says more than how many tasks met the criterion. */
export const meanBeside = ({ mean, rate }: ReportedGate): number | undefined =>
  mean === rate ? undefined : mean;

/** `all`, `98 %`. */
export const requiredWords = ({ required }: ReportedGate): string =>
  required === 1 ? 'all' : percent(required);

/** `SLA: p95 412 ms, at most 1.5 s` */
export function slaWords({ expectedLatencyMs, p95Ms, policy, status }: Sla): string {
  const took = status === 'error' ? 'no latency is known' : `p95 ${duration(p95Ms)}`;
  return `SLA: ${took}, at most ${duration(expectedLatencyMs)}${policy === 'warn' ? ' (reported only)' : ''}`;
}

/** The strict gates and the SLA with this status, by name. */
export const bindingNames = ({ criteria, sla }: ContractReport, status: GateStatus): readonly string[] => [
  ...criteria.filter((gate) => gate.strict && gate.status === status).map(({ id }) => id as string),
  ...(sla?.policy === 'gate' && sla.status === status ? ['the SLA'] : []),
];

/** What the thresholds alone do not say; undefined when they say it all. */
export function contractWords(contract: ContractReport): string | undefined {
  const { verdict, summary } = contract;
  if (verdict === 'error')
    return `No model could be asked about ${bindingNames(contract, 'error').join(', ')}, so whether the contract is kept is not known.`;
  if (verdict === 'fail' && summary.passed)
    return `The suite's thresholds are met, but the contract is not kept: ${bindingNames(contract, 'fail').join(', ')}.`;
  if (verdict !== 'pass' || summary.passed) return undefined;
  if (summary.otherBarsMet)
    return 'Every gate of the contract is passed. The pass score is a threshold for all tasks of the suite, and decides nothing about some of them.';
  return 'Every gate of the contract is passed, but a threshold of the suite is missed.';
}
