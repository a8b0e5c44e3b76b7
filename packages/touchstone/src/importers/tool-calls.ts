import type { Json, JsonObject } from '@touchstone/protocol';
import { toolIdOf } from './tool-names.js';

/** A call of a tool that a source has recorded or expects. */
export type ToolUse = { readonly name: string; readonly inputs?: Json };
/** What a tool answered. */
export type ToolAnswer = { readonly name: string; readonly response: Json };

/** The same calls, in the order that the source asks for. */
export const sequenceOf = (
  uses: readonly ToolUse[],
  order: 'exact' | 'in-order' | 'any-order',
): JsonObject => ({
  'tool-sequence': uses.map(({ name, inputs }) =>
    inputs === undefined ? toolIdOf(name) : { tool: toolIdOf(name), inputs: { $exact: inputs } },
  ),
  order,
});

/** Stand-ins for the tools, in the order of their answers; undefined when none answered. */
export const fixturesOf = (answers: readonly ToolAnswer[]): JsonObject | undefined =>
  answers.length === 0
    ? undefined
    : { toolResponses: answers.map(({ name, response }) => ({ tool: toolIdOf(name), response })) };

/** The calls as `--answers` takes them. */
export const recordedCalls = (uses: readonly ToolUse[]): readonly JsonObject[] =>
  uses.map(({ name, inputs = {} }) => ({ toolId: toolIdOf(name), inputs }));
