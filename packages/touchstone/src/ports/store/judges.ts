import type { CalibrationRecord, Digest, JsonObject, Owner, Version } from '@touchstone/protocol';

/** A portable judge as it is kept. */
export type StoredJudge = {
  readonly judgeId: string;
  readonly version: Version;
  readonly digest: Digest;
  /** The whole artifact, which has been checked. */
  readonly judge: JsonObject;
};

export type Judges = {
  /** `conflict`: this version is there with other content. */
  install(owner: Owner, judge: StoredJudge, at: number): Promise<'created' | 'same' | 'conflict'>;
  /** Without the rule that versions do not change: for the files of a configuration. */
  replace(owner: Owner, judge: StoredJudge, at: number): Promise<void>;
  get(owner: Owner, judgeId: string, version: Version): Promise<StoredJudge | undefined>;
  /** All of the owner's, by id and version. */
  list(owner: Owner): Promise<readonly StoredJudge[]>;
  /** The content that a run is pinned to, although its name may mean another one by now. */
  byDigest(owner: Owner, digest: Digest): Promise<JsonObject | undefined>;
};

/** What checks of judges by files of labels found. */
export type Calibrations = {
  add(owner: Owner, record: CalibrationRecord): Promise<void>;
  /** Of one judge and one suite, oldest first. */
  list(owner: Owner, judge: Digest, suite: Digest): Promise<readonly CalibrationRecord[]>;
  get(owner: Owner, recordId: string): Promise<CalibrationRecord | undefined>;
};
