/** The form of a judge's id: a name of at least three parts, such as `acme.judges.tone`. */
export const JUDGE_ID = '^[a-z][a-z0-9-]*(\\.[a-z0-9][a-z0-9-]*){2,7}$';
/** The form of its version. */
export const JUDGE_VERSION = '^\\d{1,9}\\.\\d{1,9}\\.\\d{1,9}$';
/** `<judgeId>@<version>` */
export const JUDGE_REFERENCE = new RegExp(`${JUDGE_ID.slice(0, -1)}@${JUDGE_VERSION.slice(1)}`);
