import type { SessionFacts } from '@touchstone/protocol';
import { type ApprovalRound, grantsOf } from '@touchstone/sdk/view';
import { missingScope } from '../../access.js';

/** The answers that there are. Their names are those of the buttons, of the dialogs, and of the buttons in them. */
export type AnswerKind = 'Grant' | 'Reject' | 'Override' | 'Withdraw';

/** What may keep a person from answering a question. The host decides again when the answer comes. */
export type Rights = { readonly [kind in AnswerKind]?: string };

export function rightsIn(
  session: SessionFacts | undefined,
  requester: string | undefined,
  round: ApprovalRound,
): Rights {
  const { role, scope, overrideRole, barsRequester } = round;
  const roles = session?.roles ?? [];
  const general = missingScope(session, 'approvals:respond');
  const lacksRole =
    role !== undefined && !roles.includes(role) ? `Only people with the role ${role} may grant.` : undefined;
  const lacks = general ?? lacksRole ?? (scope && missingScope(session, scope));
  const isOwn = barsRequester && session?.principal === requester;
  const own = isOwn ? 'You asked for it, and this gate takes no grant of whoever asked.' : undefined;
  const voted =
    session && grantsOf(round).includes(session.principal) ? 'You have granted it already.' : undefined;
  const mayOverride = overrideRole !== undefined && roles.includes(overrideRole);
  const override = mayOverride ? own : `Only people with the role ${overrideRole} may pass the gate over.`;
  return {
    ...given('Grant', lacks ?? own ?? voted),
    ...given('Reject', mayOverride ? general : lacks),
    ...given('Override', general ?? override),
    ...given('Withdraw', missingScope(session, 'runs:cancel')),
  };
}

const given = (name: keyof Rights, why: string | undefined): Rights =>
  why === undefined ? {} : { [name]: why };
