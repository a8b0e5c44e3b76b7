import type { Json, JsonObject, ModelName, ModelParameters } from '@touchstone/protocol';
import type { RequestBounds } from '../../net/index.js';
import type { Answer, Usage } from '../../ports/index.js';

/** What a provider wants to get back unread with the next question: signatures of its reasoning, for example. */
type ProviderState = { readonly carried?: JsonObject };

export type ReplyPart = ProviderState &
  (
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'reasoning'; readonly text: string }
    /** `argumentsText` is kept as it came: it may not be JSON. */
    | {
        readonly kind: 'call';
        readonly id: string;
        readonly name: string;
        readonly argumentsText: string;
      }
  );

export type ToolMessage = { readonly callId: string; readonly name: string; readonly result: JsonObject };

export type Message =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly said: readonly ReplyPart[] }
  | { readonly role: 'tools'; readonly results: readonly ToolMessage[] };

export type ModelTool = {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
};

/** Everything one call of a model depends on. Equal questions are equal to a cache. */
export type Question = ModelParameters & {
  readonly messages: readonly Message[];
  readonly tools: readonly ModelTool[];
  readonly returnSchema?: JsonObject;
  /** Never sent. Two repeats of a task are two questions. */
  readonly repeat: number;
};

export type ModelCall = {
  readonly id: string;
  readonly name: string;
  /** Undefined when the arguments are not JSON. */
  readonly inputs: Json | undefined;
};

export type Reply = {
  readonly kind: 'reply';
  readonly text: string;
  readonly reasoning: string;
  readonly toolCalls: readonly ModelCall[];
  readonly refused: boolean;
  /** Why the model stopped: stop, length, content-filter, tool-calls, error, other. */
  readonly finish: string;
  readonly usage: Usage;
  /** The reply as it goes back to the model when the conversation continues. */
  readonly said: readonly ReplyPart[];
  /** Parameters that the model was asked without, because it does not take them. */
  readonly ignored?: readonly string[];
  /** Keeps the reply for the next time. To be called once it is paid for: what is remembered is free. */
  readonly remember?: () => Promise<void>;
};

/** A reply, or why there is none. Never rejects but for an abort. */
export type ModelReply = Reply | Extract<Answer, { kind: 'failed' | 'unreachable' | 'denied' }>;

export type ProviderKind = 'openai' | 'anthropic' | 'google' | 'openai-compatible' | 'openwop' | 'scripted';

/** Which model this is and where it is asked, so far as that makes its answers its own. */
export type ModelIdentity = {
  readonly kind: ProviderKind;
  readonly provider: ModelName;
  readonly model: ModelName;
  readonly baseUrl?: string;
  /** Digest of what a scripted model says. */
  readonly script?: string;
};

export type Model = {
  readonly identity: ModelIdentity;
  /** What the provider's configuration says about patience. */
  readonly timeoutMs?: number;
  /** One call of the model, retried until it is settled. */
  ask(question: Question, bounds: RequestBounds): Promise<ModelReply>;
  close(): void;
};
