import type { SuccessCriterion } from '@touchstone/protocol/bodies';
import type { ProfiledAgent } from '../types.js';

/** What an agent promises, as Markdown for people; empty when it promises nothing. */
export function evaluationCard({ evaluation }: Pick<ProfiledAgent, 'evaluation'>): string {
  if (!evaluation) return '';
  const { expected_latency_ms, grading_rubric } = evaluation;
  const lines = [
    ...(grading_rubric ?? []).map(criterionLine),
    // Zero is a bound like any other.
    ...(expected_latency_ms === null ? [] : [`SLA: ${expected_latency_ms}ms latency`]),
  ];
  return ['## Evaluation', '', ...lines.map((line) => `- ${line}`)].join('\n').trimEnd().concat('\n');
}

function criterionLine({ name, description, threshold }: SuccessCriterion): string {
  const told = description === null ? oneLine(name) : `${oneLine(name)}: ${oneLine(description)}`;
  return threshold === null ? told : `${told} (Threshold: ${threshold})`;
}

/** The author's text can neither begin a paragraph of the card nor become HTML in it. */
const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim().replaceAll('<', '&lt;');
