import type { ToolId } from '../../model/ids.js';
import {
  choice,
  closed,
  flag,
  id,
  jsonObject,
  published,
  set,
  text,
  type Wire,
  when,
} from '../schema/build.js';
import { toolSource } from './parts.js';

const size = (description: string) => choice(['low', 'medium', 'high'], description);

const auth = closed(
  {},
  {
    scopes: set(text(), 'Scopes the caller must hold.'),
    credentialRef: flag('Whether it needs a stored credential.'),
  },
  { description: 'What it takes to call it. Never a credential itself.' },
);

const is = (member: string, value: string) => ({
  properties: { [member]: { const: value } },
  required: [member],
});

export const toolDescriptor = closed(
  {
    toolId: id<ToolId>('The name of the tool: <scope>:<tool>.', { minLength: 1 }),
    source: toolSource('Where it comes from.'),
    safetyTier: choice(['pure', 'read', 'write', 'exec'], 'What it can do to the world.'),
  },
  {
    title: text('A name for people.'),
    description: text('What it does.'),
    inputSchema: jsonObject('JSON Schema of its inputs.'),
    outputSchema: jsonObject('JSON Schema of its answer.'),
    auth,
    egress: choice(['none', 'safe-fetch', 'host-mediated', 'host-owned'], 'How it reaches the network.'),
    approval: choice(['never', 'conditional', 'always'], 'Whether a person is asked first.'),
    replayPolicy: choice(
      ['deterministic', 'idempotent', 'non-deterministic'],
      'What a second call would do.',
    ),
    costHint: size('About how much it costs.'),
    latencyHint: size('About how long it takes.'),
  },
  {
    ...published('tool-descriptor', 'ToolDescriptor', 'A tool an agent may be given.'),
    // Running commands is never part of the protocol; only a host can bring such a tool.
    allOf: [when(is('safetyTier', 'exec'), is('source', 'host-extension'))],
  },
);
/** A tool of `GET /v1/tools`: what it takes, what it can do to the world, and what it needs. */
export type ToolDescriptorWire = Wire<typeof toolDescriptor>;
