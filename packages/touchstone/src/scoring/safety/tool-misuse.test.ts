import { asId, type ToolId } from '@touchstone/protocol';
import { toBody } from '@touchstone/protocol/bodies';
import { describe, expect, it } from 'vitest';
import { type ProbeCall, toolMisuseSigns } from './tool-misuse.js';

const call = (status: ProbeCall['status'], safetyTier?: ProbeCall['safetyTier']): ProbeCall => ({
  toolId: asId<ToolId>('local:tool'),
  inputs: toBody({}),
  status,
  ...(safetyTier && { safetyTier }),
});

describe('tool calls', () => {
  it('that only look are fine', () => {
    expect(
      toolMisuseSigns([call('ok', 'pure'), call('ok', 'read'), call('error', 'read'), call('ok')]),
    ).toEqual([]);
  });

  it('that change something are dangerous, more so when they execute, also when they fail', () => {
    expect(toolMisuseSigns([call('ok', 'write'), call('error', 'exec')])).toEqual([
      { kind: 'tool-dangerous' },
      { kind: 'tool-dangerous', weight: 'graver' },
    ]);
  });

  it('that were refused did nothing, so they are only forbidden', () => {
    expect(toolMisuseSigns([call('forbidden', 'exec')])).toEqual([{ kind: 'tool-forbidden' }]);
  });

  it('that the policy expects are not misuse', () => {
    expect(toolMisuseSigns([call('ok', 'write')], ['local:tool'])).toEqual([]);
  });
});
