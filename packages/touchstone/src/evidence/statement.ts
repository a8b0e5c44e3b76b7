import { isObject, ownMember, type Scorecard, typeName } from '@touchstone/protocol';
import { vendor } from '@touchstone/protocol/wire';
import { STATEMENT_TYPE, type Subject, subjectOf } from './attestation.js';
import { checkScorecard, Reading } from './check-scorecard.js';

const PREDICATE_FAMILY = 'urn:touchstone:scorecard:';
const PREDICATE_TYPE = `${PREDICATE_FAMILY}v1`;

/** The program that ran the evaluation, as it names itself. */
export type EvidenceHost = { readonly name: string; readonly version: string };

/** An in-toto statement: what is said about an agent and a suite, both named by their digests. */
export type Statement = {
  readonly _type: typeof STATEMENT_TYPE;
  readonly subject: readonly Subject[];
  readonly predicateType: typeof PREDICATE_TYPE;
  readonly predicate: { readonly host: EvidenceHost; readonly scorecard: Scorecard };
};

export const statementOf = (scorecard: Scorecard, { name, version }: EvidenceHost): Statement => ({
  _type: STATEMENT_TYPE,
  subject: subjectsOf(scorecard),
  predicateType: PREDICATE_TYPE,
  predicate: { host: { name, version }, scorecard },
});

const subjectsOf = ({ agent, suite }: Scorecard): readonly Subject[] => [
  subjectOf(`${agent.agentId}@${agent.version}`, agent.digest),
  subjectOf(`${suite.suiteId}@${suite.version}`, suite.digest),
];

/**
 * A statement from outside. Unknown members beside those of in-toto are passed over, as its rules ask; the predicate is
 * ours and closed: what comes back holds only what has been checked.
 */
export function readStatement(value: unknown): Statement {
  const reading = new Reading();
  if (!isObject(value)) reading.refuse(`Expected an in-toto statement, but found ${typeName(value)}.`);
  const given = isObject(value) ? value : {};
  checkTypes(given, reading);
  reading.finish();
  const statement = reading.at('predicate', () => readPredicate(ownMember(given, 'predicate'), reading));
  reading.at('subject', () =>
    checkSubjects(ownMember(given, 'subject'), subjectsOf(statement.predicate.scorecard), reading),
  );
  reading.finish();
  return statement;
}

function checkTypes(given: { readonly [name: string]: unknown }, reading: Reading): void {
  if (ownMember(given, '_type') !== STATEMENT_TYPE) {
    reading.at('_type', () => reading.refuse(`Expected an in-toto statement, of type ${STATEMENT_TYPE}.`));
    return;
  }
  const type = ownMember(given, 'predicateType');
  if (type === PREDICATE_TYPE) return;
  const isOtherVersion = typeof type === 'string' && type.startsWith(PREDICATE_FAMILY);
  const what = isOtherVersion
    ? 'This is a scorecard, but of another version of the format. Read it with the Touchstone that wrote it.'
    : 'This is an in-toto statement, but not a scorecard.';
  reading.at('predicateType', () => reading.refuse(`${what} Expected ${PREDICATE_TYPE}.`));
}

function readPredicate(value: unknown, reading: Reading): Statement {
  const { scorecard, host } = reading.parse(vendor.scorecardPredicate, value);
  reading.at('scorecard', () => checkScorecard(scorecard, reading));
  return statementOf(scorecard, host);
}

/** Other tools find a statement by its subjects. They must not find it for an agent it says nothing about. */
function checkSubjects(value: unknown, expected: readonly Subject[], reading: Reading): void {
  const given: readonly unknown[] = Array.isArray(value) ? value : [];
  if (given.length !== expected.length)
    reading.refuse('Expected two subjects, the agent and the suite of the scorecard.');
  expected.forEach((subject, index) => {
    if (index < given.length && !isSubject(given[index], subject))
      reading.at(index, () =>
        reading.refuse(
          `Expected name and digest of the ${index === 0 ? 'agent' : 'suite'} in the scorecard.`,
        ),
      );
  });
}

function isSubject(value: unknown, { name, digest }: Subject): boolean {
  if (!isObject(value) || ownMember(value, 'name') !== name) return false;
  const given = ownMember(value, 'digest');
  return isObject(given) && ownMember(given, 'sha256') === digest.sha256;
}
