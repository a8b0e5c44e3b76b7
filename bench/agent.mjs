// The agent under test, for us and for the peers. BENCH_DELAY_MS stands in for a model's latency; BENCH_CALL_LOG keeps
// a line for every call, its time and its input, so that a call made twice can be counted.
import { appendFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { answer } from './workload.mjs';

const delayMs = Number(process.env.BENCH_DELAY_MS ?? 0);
const callLog = process.env.BENCH_CALL_LOG;

export default async function agent(input) {
  if (callLog) appendFileSync(callLog, `${Date.now()} ${input}\n`);
  if (delayMs > 0) await pause(delayMs);
  return answer(input);
}
