import type {
  AnnotationId,
  EventId,
  ForkMode,
  JsonObject,
  PrincipalId,
  RunId,
  RunStatus,
  Timestamp,
} from '@touchstone/protocol';

/** Body of `POST /v1/runs/{runId}:fork`. A branch needs `fromSeq`; only a branch can change options. */
export type ForkRun = {
  readonly mode: ForkMode;
  readonly fromSeq?: number;
  readonly runOptionsOverlay?: {
    readonly configurable?: JsonObject;
    readonly tags?: readonly string[];
    readonly metadata?: JsonObject;
  };
};
export type ForkedRun = {
  readonly runId: RunId;
  readonly sourceRunId: RunId;
  readonly mode: ForkMode;
  readonly status: RunStatus;
  readonly eventsUrl: string;
  readonly fromSeq?: number;
};

/** `a` is the run that was asked about. Equal logs have no differences, and then `divergedAtSeq` is null. */
export type RunDiff = {
  readonly a: RunId;
  readonly b: RunId;
  readonly divergedAtSeq?: number | null;
  readonly eventDiffs: readonly {
    readonly seq: number;
    readonly op: 'added' | 'removed' | 'changed';
    readonly aEvent?: JsonObject;
    readonly bEvent?: JsonObject;
  }[];
  readonly stateDiff: JsonObject;
  /** A run was still going on, or differences were left out for size. */
  readonly truncated?: boolean;
};

/** What a person says: one kind of remark, with the member of that name. */
export type Signal =
  | { readonly kind: 'rating'; readonly rating: number }
  | { readonly kind: 'correction'; readonly correction: string }
  | { readonly kind: 'label'; readonly label: string }
  | { readonly kind: 'flag' };

/** Body of `POST /v1/runs/{runId}/annotations`. Without a target it is about the whole run. */
export type NewAnnotation = {
  readonly signal: Signal;
  readonly target?: { readonly eventId?: string; readonly nodeId?: string };
  readonly note?: string;
};
export type Annotation = {
  readonly annotationId: AnnotationId;
  readonly target: { readonly runId: RunId; readonly eventId?: EventId; readonly nodeId?: string };
  readonly signal: Signal;
  readonly actor: { readonly principalRef: PrincipalId };
  readonly createdAt: Timestamp;
  readonly note?: string;
};

/** A run in one document to hand on. A newer host may say more. */
export type DebugBundle = {
  readonly bundleVersion: string;
  readonly generatedAt: Timestamp;
  readonly host: { readonly name: string; readonly version: string; readonly vendor?: string };
  readonly run: JsonObject;
  readonly events: readonly JsonObject[];
  readonly redactionApplied: boolean;
  readonly redactionMode: 'mask' | 'omit' | 'hash' | 'passthrough';
  readonly truncated?: boolean;
  readonly truncatedReason?: string;
  readonly [member: string]: unknown;
};

/** Body of `POST /v1/webhooks`. */
export type NewWebhook = {
  readonly url: string;
  /** Types of events, at least one. */
  readonly events: readonly string[];
  /** Only of runs that bear one of these. */
  readonly tags?: readonly string[];
  /** 32 to 256 printable ASCII characters; the host makes one when it is left out. */
  readonly secret?: string;
};
export type RegisteredWebhook = {
  readonly webhookId: string;
  readonly secret: string;
  readonly secretFingerprint: string;
};
export type Webhook = {
  readonly webhookId: string;
  readonly url: string;
  readonly events: readonly string[];
  readonly tags?: readonly string[];
  readonly createdAt: Timestamp;
  /** Deliveries that failed in a row. */
  readonly failures: number;
  /** Nothing is sent before this moment. */
  readonly openUntil?: Timestamp;
  readonly secretFingerprint: string;
};
