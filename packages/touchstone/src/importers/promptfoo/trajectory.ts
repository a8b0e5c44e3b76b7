import { isObject, type Json, type JsonObject } from '@touchstone/protocol';
import { toolIdOf } from '../tool-names.js';
import { type Converter, lost, type Outcome, textsOf } from './assertion.js';

/** The id or pattern of a step; undefined when it names no tool. */
function toolOf(step: Json | undefined): string | undefined {
  if (typeof step === 'string' && step !== '') return toolIdOf(step);
  if (!isObject(step)) return undefined;
  const { name, pattern, type = 'tool' } = step as JsonObject;
  const named = pattern ?? name;
  // A question mark stands for one character there, and for itself here.
  if (type !== 'tool' || typeof named !== 'string' || named === '' || /[?]/.test(named)) return undefined;
  return toolIdOf(named);
}

const bounds = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    ['min', 'max'].flatMap((name) => (typeof value[name] === 'number' ? [[name, value[name] as Json]] : [])),
  );

const NO_TOOL = 'without the name of a tool';

const toolUsed: Converter = ({ value, not }) => {
  if (isObject(value)) {
    const tool = toolOf(value);
    return tool === undefined
      ? lost(NO_TOOL)
      : { check: 'tool-called', args: { tool, ...bounds(value as JsonObject) } };
  }
  const tools = (typeof value === 'string' ? [value] : (textsOf(value) ?? [])).map(toolIdOf);
  const [only, ...more] = tools;
  if (only === undefined) return lost(NO_TOOL);
  if (not) return { check: 'tool-not-called', args: { tool: tools }, turned: true };
  if (more.length === 0) return { check: 'tool-called', args: { tool: only } };
  return { check: 'all', args: { of: tools.map((tool) => ({ 'tool-called': { tool } })) } };
};

const argsMatch: Converter = ({ value }) => {
  const tool = toolOf(value);
  if (tool === undefined || !isObject(value)) return lost(NO_TOOL);
  const { args, arguments: others, mode = 'partial', defaults, ignore } = value as JsonObject;
  if (defaults !== undefined || ignore !== undefined) return lost('with "defaults" or "ignore"');
  const inputs = args ?? others;
  if (inputs === undefined) return lost('without arguments');
  return {
    check: 'tool-called',
    args: { tool, inputs: mode === 'exact' ? { $exact: inputs } : escaped(inputs) },
  };
};

/** Values of the source are data: a member that looks like an operator stands for itself. */
const escaped = (value: Json): Json => (JSON.stringify(value).includes('"$') ? { $literal: value } : value);

const toolSequence: Converter = ({ value }) => {
  const { steps = value, mode = 'in_order' } = (isObject(value) ? value : {}) as JsonObject;
  const tools = Array.isArray(steps) ? (steps as readonly Json[]).map(toolOf) : [];
  if (tools.length === 0 || tools.includes(undefined)) return lost('with steps that are not tools');
  const order = mode === 'exact' ? 'exact' : 'in-order';
  return { check: 'tool-sequence', args: { steps: tools as readonly string[], order } };
};

const stepCount: Converter = ({ value }): Outcome => {
  const { type, name, pattern } = (isObject(value) ? value : {}) as JsonObject;
  if (type !== 'tool') return lost('of steps that are not only tools');
  const tool = name === undefined && pattern === undefined ? '*' : toolOf(value);
  if (tool === undefined) return lost(NO_TOOL);
  return { check: 'tool-called', args: { tool, min: 0, ...bounds(value as JsonObject) } };
};

const toolCallF1: Converter = ({ value, threshold = 1 }) => {
  const tools = (textsOf(value) ?? []).map(toolIdOf);
  if (tools.length === 0) return lost(NO_TOOL);
  const changed = 'the share of the expected calls that were made; further calls do not count against it';
  return { check: 'tool-sequence', args: { steps: tools, order: 'any-order', min: threshold }, changed };
};

/** Assertions about the tools that an agent called. */
export const TRAJECTORY_CHECKS: { readonly [type: string]: Converter } = {
  'trajectory:tool-used': toolUsed,
  'trajectory:tool-args-match': argsMatch,
  'trajectory:tool-sequence': toolSequence,
  'trajectory:step-count': stepCount,
  'tool-call-f1': toolCallF1,
};
