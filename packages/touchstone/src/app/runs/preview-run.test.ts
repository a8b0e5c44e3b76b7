import { expect, it } from 'vitest';
import type { PlanParts } from './plan-run.js';
import { previewRun } from './preview-run.js';

it('only an evaluation has a preview', async () => {
  const owner = { tenant: 'acme', workspace: 'main' };
  await expect(previewRun({} as PlanParts, owner, { agentId: 'local.acme.echo' })).rejects.toMatchObject({
    code: 'validation_error',
    details: { field: 'mode' },
  });
});
