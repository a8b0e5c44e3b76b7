// An agent that is a program: it reads one request from stdin, writes one answer to stdout, and ends.
import { readFileSync } from 'node:fs';

const { input, memory, toolResults } = JSON.parse(readFileSync(0, 'utf8'));

const TEAMS = [
  ['billing', /\b(invoice|charged|payment|refund)\b/i],
  ['access', /\b(password|log ?in|locked|two-factor)\b/i],
  ['outage', /\b(down|timeout|unavailable|500)\b/i],
];
const team = TEAMS.find(([, words]) => words.test(input.text))?.[0] ?? 'general';

function answer() {
  const onCall = toolResults?.[0]?.outcome?.onCall ?? null;
  const isVip = memory.some(({ tags }) => tags.includes(`vip:${input.customer}`));
  const priority = team === 'outage' || isVip ? 'high' : 'normal';
  return { output: { team, priority, ...(onCall && { onCall }) } };
}

// Outages are answered in two turns: the first asks who is on call, the second knows.
const asksFirst = team === 'outage' && !toolResults;
const ask = { toolCalls: [{ callId: 'roster', toolId: 'local:roster.onCall', inputs: { team } }] };
process.stdout.write(JSON.stringify(asksFirst ? ask : answer()));
