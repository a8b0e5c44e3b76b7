declare const idKind: unique symbol;

/**
 * A string that names something and says nothing about its content. The brand keeps free text (an answer, a prompt)
 * from being handed over where only a name may stand: in `eval.*` events, scorecards, reports and log lines.
 */
export type Id<Kind extends string> = string & { readonly [idKind]: Kind };

export type RunId = Id<'run'>;
export type SuiteId = Id<'suite'>;
export type TaskId = Id<'task'>;
export type AgentId = Id<'agent'>;
export type ToolId = Id<'tool'>;
export type InvocationId = Id<'invocation'>;
export type CallId = Id<'call'>;
export type EventId = Id<'event'>;
export type Version = Id<'version'>;
export type Digest = Id<'digest'>;
export type ModelName = Id<'model'>;
export type CriterionId = Id<'criterion'>;
export type FindingKind = Id<'finding'>;
export type ChannelName = Id<'channel'>;
export type AnnotationId = Id<'annotation'>;
export type PrincipalId = Id<'principal'>;
/** What a principal may do, as `<area>:<action>`. */
export type ScopeName = Id<'scope'>;
/** What a decision is about, e.g. `agents/<agentId>@<version>`. */
export type ResourceName = Id<'resource'>;
export type GateId = Id<'gate'>;
/** A short label for why, checked to be one; never an answer or a prompt. */
export type ReasonLabel = Id<'reason'>;
/** What the ids of some tasks have in common: the part before the first hyphen. */
export type SliceName = Id<'slice'>;
/** A moment, as ISO 8601 writes it in UTC. */
export type Timestamp = Id<'timestamp'>;

/** Marks a string as a name. Call it where a value enters the house and has been checked, nowhere else. */
export const asId = <T extends Id<string>>(text: string): T => text as T;

export const timestampOf = (at: number): Timestamp => asId<Timestamp>(new Date(at).toISOString());
