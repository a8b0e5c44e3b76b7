// The calls that the agent of the bench has noted (BENCH_CALL_LOG).
import { existsSync, readFileSync } from 'node:fs';

/** When each call was made, and for what. */
export const callsIn = (file) =>
  existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean).map(readCall) : [];

function readCall(line) {
  const space = line.indexOf(' ');
  return { at: Number(line.slice(0, space)), input: line.slice(space + 1) };
}

/** How many calls were made for something that was asked before. */
export const madeAgain = (calls) => calls.length - new Set(calls.map(({ input }) => input)).size;
