import type { Dialect } from '../dialect.js';

/**
 * Annotations and baselines of runs, and the webhooks that hear of events. None of it is part of a run's log.
 *
 * Annotations, what they point at and addresses are free text of others, hence JSON. A blessing of a run that no judge took
 * part in has an empty `judge_digest`, because NULLs do not compare. Neither blessings nor scorecards refer to `runs`:
 * both may be about a run of another machine.
 */
export const annotationsAndBaselines = (t: Dialect): readonly string[] => [
  `CREATE TABLE annotations (
    annotation_no ${t.insertedKey},
    run_no ${t.integer} NOT NULL REFERENCES runs (run_no),
    annotation_id ${t.text} NOT NULL,
    target ${t.text} NOT NULL,
    signal ${t.text} NOT NULL,
    note ${t.text},
    principal ${t.text} NOT NULL,
    at ${t.integer} NOT NULL,
    score_override ${t.text},
    UNIQUE (run_no, annotation_id)
  )`,
  'CREATE INDEX annotations_by_age ON annotations (run_no, at, annotation_no)',
  `CREATE TABLE webhooks (
    webhook_no ${t.insertedKey},
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    webhook_id ${t.text} NOT NULL,
    url ${t.text} NOT NULL,
    events ${t.text} NOT NULL,
    tags ${t.text},
    secret ${t.text} NOT NULL,
    principal ${t.text} NOT NULL,
    created_at ${t.integer} NOT NULL,
    failures ${t.integer} NOT NULL,
    open_until ${t.integer},
    UNIQUE (tenant, workspace, webhook_id)
  )`,
  `CREATE TABLE blessings (
    blessing_no ${t.insertedKey},
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    suite_digest ${t.text} NOT NULL,
    agent_id ${t.text} NOT NULL,
    judge_digest ${t.text} NOT NULL,
    at ${t.integer} NOT NULL,
    blessing ${t.text} NOT NULL
  )`,
  'CREATE INDEX blessings_by_age ON blessings (tenant, workspace, at, blessing_no)',
  `CREATE INDEX blessings_by_subject
    ON blessings (tenant, workspace, suite_digest, agent_id, judge_digest, at, blessing_no)`,
  `CREATE TABLE scorecards (
    tenant ${t.text} NOT NULL,
    workspace ${t.text} NOT NULL,
    run_id ${t.text} NOT NULL,
    scorecard ${t.text} NOT NULL,
    PRIMARY KEY (tenant, workspace, run_id)
  )`,
];
