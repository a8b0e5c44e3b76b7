import type { Json, JsonObject } from '@touchstone/protocol';
import type { EvaluationProfile, MemorySeed } from '@touchstone/protocol/bodies';

/** An agent of a definition file, with what evaluating it needs, whatever the form of the file. */
export type DefinitionAgent = {
  /** The form of the file that it came from. */
  readonly form: 'A' | 'B';
  /** `metadata.id` in form A, the agent's own id in form B. */
  readonly id: string;
  /** The name for people. */
  readonly name: string;
  /** Form A only. */
  readonly author?: string;
  /** As written, without a leading v. */
  readonly version: string;
  /** Form A only: a published definition must be complete. */
  readonly status?: 'draft' | 'published';
  /** The model it names, its temperature, and its instructions. */
  readonly model?: string;
  /** The sampling temperature; absent when the definition names none. */
  readonly temperature?: number;
  /** The instructions; absent when the definition has none. */
  readonly systemPrompt?: string;
  /** By capability name; form B has one, without a name of its own. */
  readonly capabilities: readonly {
    /** The name of the capability. */
    readonly name: string;
    /** JSON Schema of what it takes; absent when nothing is said. */
    readonly inputs?: JsonObject;
    /** JSON Schema of what it returns; absent when nothing is said. */
    readonly outputs?: JsonObject;
  }[];
  /** Names or addresses of its tools, as written. */
  readonly tools: readonly string[];
  /** Limits by name, as written, e.g. a total cost; absent when there are none. */
  readonly budgetCaps?: { readonly [name: string]: number };
  /** The test contract; absent when the agent carries none. */
  readonly evaluation?: EvaluationProfile;
  /** Of the whole definition, over its canonical JSON. */
  readonly sha256: string;
};

/** A row of a dataset, whatever shape it came in. */
export type NormalRow = {
  readonly id?: string;
  readonly input: Json;
  /** Context and files of an input that is no object. Under which name the input stands beside them, the agent decides. */
  readonly beside?: JsonObject;
  readonly expected?: Json;
  readonly match?: 'exact' | 'contains' | 'json-match';
  /** An acceptable answer, or a list of them. */
  readonly reference?: Json;
  readonly schema?: JsonObject;
  readonly forbidden?: readonly string[];
  /** Names of the criteria that apply; absent for all. */
  readonly criteria?: readonly string[];
  readonly capability?: string;
  readonly tools?: readonly { readonly tool: string; readonly response?: Json }[];
  readonly memory?: readonly MemorySeed[];
  readonly tags?: readonly string[];
  /** Where it stands in its file: the line, or the place in the list. */
  readonly at: number;
};

/** Something worth telling that keeps nothing from working. */
export type ProfileWarning = {
  /** What sort of warning it is, for programs. */
  readonly code: string;
  /** The same for people. */
  readonly message: string;
  /** JSON pointer into the definition; absent when it is about all of it. */
  readonly pointer?: string;
  /** The line in the text, from 1; absent when there was no text. */
  readonly line?: number;
};
