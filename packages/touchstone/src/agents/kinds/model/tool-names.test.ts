import { asId, type ToolId } from '@touchstone/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nameTools } from './tool-names.js';

const offered = (ids: readonly string[]) => ids.map((toolId) => ({ toolId: asId<ToolId>(toolId) }));
const namesOf = (ids: readonly string[]) =>
  Object.fromEntries([...nameTools(offered(ids))].map(([name, { toolId }]) => [toolId, name]));

it('a tool is named after its id', () => {
  expect(namesOf(['local:kb.search', 'mcp:files.read-it', '3d:render'])).toEqual({
    'local:kb.search': 'local_kb_search',
    'mcp:files.read-it': 'mcp_files_read-it',
    '3d:render': '_3d_render',
  });
});

it('tools that would share a name get one each', () => {
  const names = Object.values(namesOf(['a:b.c', 'a:b:c', 'a.b.c']));
  expect(new Set(names).size).toBe(3);
});

it('any tools have names that providers accept, that lead back, and that do not depend on their order', () => {
  const toolId = fc.oneof(
    fc.string({ minLength: 1, maxLength: 120 }),
    fc.stringMatching(/^[a-c:._]{1,4}$/),
    fc.stringMatching(/^(abc[:.]){20,30}[xy]$/),
  );
  fc.assert(
    fc.property(fc.uniqueArray(toolId, { maxLength: 12 }), (ids) => {
      const names = namesOf(ids);
      expect(Object.keys(names)).toHaveLength(ids.length);
      for (const name of Object.values(names)) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
      expect(new Set(Object.values(names)).size).toBe(ids.length);
      expect(namesOf([...ids].reverse())).toEqual(names);
    }),
  );
});
