import type { SessionFacts } from '@touchstone/protocol';

/** Whether the key of the session has a scope. The host decides; the page only shows beforehand what it will say. */
export const may = (session: SessionFacts | undefined, scope: string): boolean =>
  session !== undefined && (session.scopes.includes(scope) || session.scopes.includes('*'));

/** What to do about a scope that is missing. */
export const askFor = (scope: string): string =>
  `Whoever gives out keys can give you one with the scope ${scope}.`;

/** Why a control does not work for this session; undefined when it does. */
export const missingScope = (session: SessionFacts | undefined, scope: string): string | undefined =>
  may(session, scope) ? undefined : `Your key lacks the scope ${scope}.`;
