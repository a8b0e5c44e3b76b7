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

/** A rough magnitude, for an agent that chooses between tools. */
const size = (description: string) => choice(['low', 'medium', 'high'], description);

/** What a caller needs before the tool may be used. */
const auth = closed(
  {},
  {
    /** Scopes the caller must hold. As `<area>:<action>`; none when absent. */
    scopes: set(text(), 'Scopes the caller must hold.'),
    /** Whether it needs a stored credential. `true` when the operator has to store a credential first. */
    credentialRef: flag('Whether it needs a stored credential.'),
  },
  { description: 'What it takes to call it. Never a credential itself.' },
);

/** The condition that a member has one value. */
const is = (member: string, value: string) => ({
  properties: { [member]: { const: value } },
  required: [member],
});

/** The protocol's schema of a tool in the catalogue. */
export const toolDescriptor = closed(
  {
    /** The name that agents list in `toolAllowlist`. */
    toolId: id<ToolId>('The name of the tool: <scope>:<tool>.', { minLength: 1 }),
    /** Where it comes from. `host-extension`: configured on this host. `mcp`: offered by an MCP server. */
    source: toolSource('Where it comes from.'),
    /**
     * `pure` computes, `read` looks, `write` changes something, `exec` runs commands. `write` and `exec` are refused
     * to probes.
     */
    safetyTier: choice(['pure', 'read', 'write', 'exec'], 'What it can do to the world.'),
  },
  {
    /** A name for people. Absent when the tool has none. */
    title: text('A name for people.'),
    /** What models are told about the tool. */
    description: text('What it does.'),
    /** Inputs of a call must fit it; any object when absent. */
    inputSchema: jsonObject('JSON Schema of its inputs.'),
    /** JSON Schema of its answer. Absent when the answer may be anything. */
    outputSchema: jsonObject('JSON Schema of its answer.'),
    /** What a caller needs to use the tool; absent when it needs nothing. */
    auth,
    /**
     * `none`: it does not reach the network. `safe-fetch` and `host-mediated`: through the host's checks.
     * `host-owned`: on its own.
     */
    egress: choice(['none', 'safe-fetch', 'host-mediated', 'host-owned'], 'How it reaches the network.'),
    /** Whether a person is asked first. `never` when absent. */
    approval: choice(['never', 'conditional', 'always'], 'Whether a person is asked first.'),
    /**
     * Whether a second call gives the same answer, changes nothing further, or neither. Replays read the recorded
     * answer.
     */
    replayPolicy: choice(
      ['deterministic', 'idempotent', 'non-deterministic'],
      'What a second call would do.',
    ),
    /** About how much it costs. Absent when nothing is known. */
    costHint: size('About how much it costs.'),
    /** About how long it takes. Absent when nothing is known. */
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
