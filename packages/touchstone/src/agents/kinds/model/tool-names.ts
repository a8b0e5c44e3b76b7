import { createHash } from 'node:crypto';
import type { OfferedTool } from '../../../ports/index.js';

/** What providers accept as the name of a function. Ids of tools hold colons and dots, which they do not. */
const LONGEST_NAME = 64;

/**
 * A name for each tool, and the way back. Tools whose names would be equal or too long all get a mark made from their id,
 * so that the name of a tool does not depend on the order in which tools are listed.
 */
export function nameTools(tools: readonly OfferedTool[]): ReadonlyMap<string, OfferedTool> {
  const count = new Map<string, number>();
  for (const { toolId } of tools) count.set(plainName(toolId), (count.get(plainName(toolId)) ?? 0) + 1);
  return new Map(
    tools.map((tool) => {
      const plain = plainName(tool.toolId);
      const fits = plain.length <= LONGEST_NAME && count.get(plain) === 1;
      return [fits ? plain : markedName(tool.toolId), tool];
    }),
  );
}

/** Some providers want a letter or an underscore first. */
const plainName = (toolId: string): string =>
  toolId.replaceAll(/[^a-zA-Z0-9_-]/g, '_').replace(/^(?=[^a-zA-Z_])/, '_');

function markedName(toolId: string): string {
  const mark = createHash('sha256').update(toolId).digest('hex').slice(0, 16);
  return `${plainName(toolId).slice(0, LONGEST_NAME - mark.length - 1)}_${mark}`;
}
