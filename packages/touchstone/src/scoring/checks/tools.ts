import { canonicalJson, isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { fromBody } from '@touchstone/protocol/bodies';
import type { ScoredCall } from '../../ports/index.js';
import { boundsOf, type Check, type CheckContext, isWithin, quoted, textsOf } from './context.js';
import { matching, misfit } from './match.js';

/** `local:orders.*` fits every tool whose id begins so. */
export function fitsGlob(glob: string, toolId: string): boolean {
  const [head = '', ...rest] = glob.split('*');
  const tail = rest.pop();
  if (tail === undefined) return glob === toolId;
  if (!toolId.startsWith(head) || !toolId.endsWith(tail)) return false;
  let from = head.length;
  for (const part of rest) {
    const at = toolId.indexOf(part, from);
    if (at < 0) return false;
    from = at + part.length;
  }
  return from <= toolId.length - tail.length;
}

const inputsOf = ({ inputs }: ScoredCall): Json => fromBody(inputs);

function fitsInputs({ parts }: CheckContext, call: ScoredCall, inputs: Json | undefined): boolean {
  return inputs === undefined || misfit(inputs, inputsOf(call), { parts }) === undefined;
}

export const toolCalled: Check = (context) => {
  const { args, transcript } = context;
  const { tool, inputs, status } = args;
  const ofTool = transcript.toolCalls.filter(({ toolId }) => fitsGlob(String(tool), toolId));
  const fitting = ofTool.filter(
    (call) => (status === undefined || call.status === status) && fitsInputs(context, call, inputs),
  );
  const met = isWithin(fitting.length, args, 1);
  if (met) return { met };
  const differsAt = placeOf(context, ofTool, inputs);
  const found = `${fitting.length} of ${ofTool.length} calls of ${tool} fit`;
  const reason = `${found}; wanted ${boundsOf(args, 1)}${differsAt ? `, differs at ${differsAt}` : ''}`;
  return { met, reason, ...(differsAt && { differsAt }) };
};

/** Where the inputs of the first call of the tool differ from what is expected. */
function placeOf({ parts }: CheckContext, calls: readonly ScoredCall[], inputs: Json | undefined) {
  const [call] = calls;
  return call && inputs !== undefined ? misfit(inputs, inputsOf(call), { parts }) : undefined;
}

export const toolNotCalled: Check = (context) => {
  const { args, transcript } = context;
  const globs = textsOf(args.tool);
  const calls = transcript.toolCalls.filter(
    (call) => globs.some((glob) => fitsGlob(glob, call.toolId)) && fitsInputs(context, call, args.inputs),
  );
  if (calls.length === 0) return { met: true };
  const ids = [...new Set(calls.map(({ toolId }) => toolId))];
  return { met: false, reason: `called ${ids.join(', ')} (${calls.length} times)` };
};

type Step = { readonly tool: string; readonly inputs?: Json };

const stepsOf = ({ steps }: JsonObject): readonly Step[] =>
  (steps as readonly Json[]).map((step) => (isObject(step) ? (step as Step) : { tool: String(step) }));

export const toolSequence: Check = (context) => {
  const { args, transcript } = context;
  const steps = stepsOf(args);
  const calls = transcript.toolCalls;
  const isFit = (step: number, call: number): boolean => {
    const [wantedStep, made] = [steps[step] as Step, calls[call] as ScoredCall];
    return fitsGlob(wantedStep.tool, made.toolId) && fitsInputs(context, made, wantedStep.inputs);
  };
  const { order = 'in-order', min = 1 } = args;
  const degree = DEGREES[order as keyof typeof DEGREES](steps.length, calls.length, isFit);
  const met = degree >= Number(min);
  if (met) return { met, degree };
  const called = calls.map(({ toolId }) => toolId).join(', ') || 'none';
  const reason = `wanted ${steps.map(({ tool }) => tool).join(', ')} (${order}); called ${called}`;
  return { met, degree, reason };
};

type Fit = (step: number, call: number) => boolean;
type SequenceDegree = (steps: number, calls: number, isFit: Fit) => number;

/** How much of a sequence was kept, from 0 to 1. */
const DEGREES: { readonly [order in 'exact' | 'in-order' | 'any-order']: SequenceDegree } = {
  exact(steps, calls, isFit) {
    const places = Array.from({ length: Math.min(steps, calls) }, (_, at) => isFit(at, at));
    return places.filter(Boolean).length / Math.max(steps, calls);
  },
  'in-order': (steps, calls, isFit) => longestInOrder(steps, calls, isFit) / steps,
  'any-order': (steps, calls, isFit) => matching(steps, calls, isFit) / steps,
};

/** The longest common subsequence of steps and calls. */
function longestInOrder(steps: number, calls: number, isFit: Fit): number {
  let row = new Array<number>(calls + 1).fill(0);
  for (let step = 0; step < steps; step += 1) {
    const next = [0];
    for (let call = 0; call < calls; call += 1) {
      const [diagonal, above, left] = [row[call] as number, row[call + 1] as number, next[call] as number];
      next.push(isFit(step, call) ? diagonal + 1 : Math.max(above, left));
    }
    row = next;
  }
  return row[calls] as number;
}

export const toolNoRepeat: Check = ({ args, transcript }) => {
  const glob = String(args.tool ?? '*');
  const calls = transcript.toolCalls.filter(({ toolId }) => fitsGlob(glob, toolId));
  const seen = new Set<string>();
  const repeated = calls.find((call) => {
    const key = canonicalJson([call.toolId, inputsOf(call)]);
    return seen.size === seen.add(key).size;
  });
  return repeated
    ? {
        met: false,
        reason: `${repeated.toolId} was called again with the same inputs ${quoted(inputsOf(repeated))}`,
      }
    : { met: true };
};

export const toolValid: Check = ({ transcript, parts }) => {
  for (const { toolId, inputs, status } of transcript.toolCalls) {
    if (status === 'forbidden') return { met: false, reason: `${toolId} was forbidden` };
    const schema = transcript.offered?.find((tool) => tool.toolId === toolId)?.inputSchema;
    const [issue] = schema ? parts.schemaCheck(schema, inputs) : [];
    if (issue) {
      return {
        met: false,
        reason: `inputs of ${toolId}, at ${issue.pointer || 'the root'}: ${issue.message}`,
      };
    }
  }
  return { met: true };
};
