import {
  anyObject,
  anything,
  choice,
  closed,
  count,
  flag,
  fraction,
  integer,
  list,
  name,
  object,
  plain,
  published,
  set,
  text,
  type Wire,
} from '../schema/build.js';
import { boundedAgentId, interruptKind } from './parts.js';

const conversationId = () => text('The conversation.', { minLength: 1, maxLength: 256 });
const names = (description: string) => list(text(), description);

const approval = object(
  {
    artifactId: name('What is to be approved.'),
    artifactType: name('What sort of thing it is.'),
    title: name('A heading for people.'),
    actions: set(choice(['accept', 'reject', 'refine', 'edit-accept', 'ask']), 'What the person may do.', {
      minItems: 1,
    }),
  },
  {
    description: text('What it is about.'),
    artifactData: anything('The thing itself.'),
    requiredApprovals: integer('How many must agree.', { minimum: 1, default: 1 }),
    approversList: names('Who may answer; anyone with the scope when empty.'),
    rejectionPolicy: choice(['single-veto', 'majority'], 'What it takes to refuse.', {
      default: 'single-veto',
    }),
    overrideBypassesQuorum: flag('Whether an override counts for everyone.', { default: false }),
    approverGroupRefs: names('Groups whose members may answer.'),
    approverRoleRefs: names('Roles whose holders may answer.'),
    audience: closed(
      {},
      { subjects: names('People.'), groups: names('Groups.'), roles: names('Roles.') },
      { description: 'Who is told about it.' },
    ),
  },
);

const question = closed(
  { id: name('Which question.'), question: name('The question.') },
  { schema: anyObject('JSON Schema of the answer.') },
);

const DATA = {
  ApprovalData: approval,
  ClarificationData: closed(
    { questions: list(question, 'What is asked.', { minItems: 1 }) },
    { contextType: text('What sort of thing it is about.') },
  ),
  ExternalEventData: closed({
    eventType: text('What is waited for.'),
    correlation: anyObject('How the event finds its way back.'),
  }),
  CustomData: closed({ customKind: name('What sort of interrupt.') }, { payload: anything('Its facts.') }),
  ConversationStartData: closed(
    { conversationId: conversationId() },
    { title: text('A heading for people.'), initialPrompt: text('The first words.') },
  ),
  ConversationExchangeData: closed(
    { conversationId: conversationId(), prompt: name('What is said.') },
    { outcomeSchema: anyObject('JSON Schema of the reply.'), turnIndex: count('Which turn.') },
  ),
  ConversationCloseData: closed({ conversationId: conversationId() }, { reason: text('Why it ends.') }),
  LowConfidenceData: closed(
    {
      agentId: boundedAgentId('The agent that was unsure.'),
      threshold: fraction('How sure it should have been.'),
      observed: fraction('How sure it was.'),
    },
    { decision: anything('What it would have decided.') },
  ),
};

export const suspendRequest = closed(
  {
    kind: interruptKind('What is asked for.'),
    key: text('The same key is the same question.', { minLength: 1, maxLength: 256 }),
    data: plain<unknown>({ oneOf: Object.keys(DATA).map((kind) => ({ $ref: `#/$defs/${kind}` })) }),
  },
  {
    resumeSchema: anyObject('JSON Schema of the answer.'),
    timeoutMs: count('How long to wait, in milliseconds.'),
  },
  {
    ...published('suspend-request', 'InterruptPayload', 'Why a run waits for somebody.'),
    $defs: DATA,
  },
);
/** A question that a run asks people, as the protocol describes it. */
export type SuspendRequestWire = Wire<typeof suspendRequest>;
