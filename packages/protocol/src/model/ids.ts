declare const idKind: unique symbol;

/**
 * A string that names something and says nothing about its content. The brand keeps free text (an answer, a prompt)
 * from being handed over where only a name may stand: in `eval.*` events, scorecards, reports and log lines.
 */
export type Id<Kind extends string> = string & { readonly [idKind]: Kind };

/** One execution of a suite, an agent, a workflow or a deployment move. */
export type RunId = Id<'run'>;
/** A suite without its version, e.g. `core.acme.evals.refunds`. */
export type SuiteId = Id<'suite'>;
/** A task within its suite. */
export type TaskId = Id<'task'>;
/** An agent without its version. */
export type AgentId = Id<'agent'>;
/** A tool, as `<scope>:<tool>`. */
export type ToolId = Id<'tool'>;
/** One call of an agent, within a run. */
export type InvocationId = Id<'invocation'>;
/** One call of a tool, within an invocation. */
export type CallId = Id<'call'>;
/** An event of a run; made from the run id and the sequence. */
export type EventId = Id<'event'>;
/** A version of a suite, an agent or a pack, as its author wrote it. */
export type Version = Id<'version'>;
/** `sha256:<hex>` of something that must not change unnoticed. */
export type Digest = Id<'digest'>;
/** A provider, or a model as its provider calls it. */
export type ModelName = Id<'model'>;
/** A criterion without its words: a slug, or a digest of its sentence. */
export type CriterionId = Id<'criterion'>;
/** A kind of safety finding, e.g. `secret`. */
export type FindingKind = Id<'finding'>;
/** A name under which versions of an agent serve, e.g. `stable`. */
export type ChannelName = Id<'channel'>;
/** A reviewer's annotation. */
export type AnnotationId = Id<'annotation'>;
/** Who acted: an opaque id, never a personal name. */
export type PrincipalId = Id<'principal'>;
/** What a principal may do, as `<area>:<action>`. */
export type ScopeName = Id<'scope'>;
/** What a decision is about, e.g. `agents/<agentId>@<version>`. */
export type ResourceName = Id<'resource'>;
/** A gate of the configuration. */
export type GateId = Id<'gate'>;
/** A short label for why, checked to be one; never an answer or a prompt. */
export type ReasonLabel = Id<'reason'>;
/** What the ids of some tasks have in common: the part before the first hyphen. */
export type SliceName = Id<'slice'>;
/** A scorer, as the operator's configuration names it. */
export type ScorerName = Id<'scorer'>;
/** What a provider calls a refusal: a plain name such as `invalid_api_key`, never its message. */
export type ErrorName = Id<'error'>;
/** An environment variable. Its name may be shown, its value never. */
export type VariableName = Id<'variable'>;
/** A moment, as ISO 8601 writes it in UTC. */
export type Timestamp = Id<'timestamp'>;

/** Marks a string as a name. Call it where a value enters the house and has been checked, nowhere else. */
export const asId = <T extends Id<string>>(text: string): T => text as T;

/** A moment in milliseconds since 1970, as ISO 8601 writes it. */
export const timestampOf = (at: number): Timestamp => asId<Timestamp>(new Date(at).toISOString());

/** Ids are derived, so they are new in every run, need no storage, and the number can be read back from the id. */
export const eventIdOf = (runId: RunId, sequence: number): EventId => `${runId}:${sequence}` as EventId;
/** `<judgeId>@<version>` of a portable judge. */
export type JudgeReference = Id<'JudgeReference'>;
