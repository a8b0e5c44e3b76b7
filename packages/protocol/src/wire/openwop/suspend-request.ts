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

/** The id of a conversation; at most 256 characters. */
const conversationId = () => text('The conversation.', { minLength: 1, maxLength: 256 });
/** A list of names; empty means no restriction. */
const names = (description: string) => list(text(), description);

/** A decision that people are asked for. */
const approval = object(
  {
    /** The id of the thing to approve; for a deployment `<agentId>@<version>`. */
    artifactId: name('What is to be approved.'),
    /** What sort of thing it is. E.g. `deployment`. */
    artifactType: name('What sort of thing it is.'),
    /** One line for a list of open questions. */
    title: name('A heading for people.'),
    /** Answers that the host accepts; at least one. */
    actions: set(choice(['accept', 'reject', 'refine', 'edit-accept', 'ask']), 'What the person may do.', {
      minItems: 1,
    }),
  },
  {
    /** A paragraph below the title; absent when the title says it all. */
    description: text('What it is about.'),
    /** What an approver needs to see. Content is possible. */
    artifactData: anything('The thing itself.'),
    /** How many must agree. Grants of that many different principals; 1 when absent. */
    requiredApprovals: integer('How many must agree.', { minimum: 1, default: 1 }),
    /** Who may answer; anyone with the scope when empty. Ids of principals. */
    approversList: names('Who may answer; anyone with the scope when empty.'),
    /** `single-veto`: one rejection refuses. `majority`: more than half must reject. `single-veto` when absent. */
    rejectionPolicy: choice(['single-veto', 'majority'], 'What it takes to refuse.', {
      default: 'single-veto',
    }),
    /** `true`: one override is enough. `false`: it counts as one grant. `false` when absent. */
    overrideBypassesQuorum: flag('Whether an override counts for everyone.', { default: false }),
    /** Groups whose members may answer. Ids of groups in the host's directory. */
    approverGroupRefs: names('Groups whose members may answer.'),
    /** Roles whose holders may answer. Names of roles. */
    approverRoleRefs: names('Roles whose holders may answer.'),
    /** Who is notified; it gives no right to answer. */
    audience: closed(
      {},
      {
        /** Ids of principals who are notified. */
        subjects: names('People.'),
        /** Ids of groups whose members are notified. */
        groups: names('Groups.'),
        /** Names of roles whose holders are notified. */
        roles: names('Roles.'),
      },
      { description: 'Who is told about it.' },
    ),
  },
);

/** One question that is answered in words. */
const question = closed(
  {
    /** Names the question in the answer. */
    id: name('Which question.'),
    /** The question, for people. */
    question: name('The question.'),
  },
  {
    /** The answer must fit it; any text when absent. */
    schema: anyObject('JSON Schema of the answer.'),
  },
);

/** What a question holds, by kind of interrupt. */
const DATA = {
  /** Of kind `approval`. */
  ApprovalData: approval,
  /** Of kind `clarification`. */
  ClarificationData: closed(
    {
      /** What is asked. At least one; all are answered together. */
      questions: list(question, 'What is asked.', { minItems: 1 }),
    },
    {
      /** A word for what the questions are about. */
      contextType: text('What sort of thing it is about.'),
    },
  ),
  /** Of kind `external-event`. */
  ExternalEventData: closed({
    /** The type of the event that ends the wait. */
    eventType: text('What is waited for.'),
    /** Members that the event must carry. */
    correlation: anyObject('How the event finds its way back.'),
  }),
  /** Of kind `custom`. */
  CustomData: closed(
    {
      /** A name that the host and its client have agreed on. */
      customKind: name('What sort of interrupt.'),
    },
    {
      /** Its facts. Any JSON, defined by that agreement. */
      payload: anything('Its facts.'),
    },
  ),
  /** Of kind `conversation.start`. */
  ConversationStartData: closed(
    {
      /** The conversation that begins. */
      conversationId: conversationId(),
    },
    {
      /** One line for a list of conversations. */
      title: text('A heading for people.'),
      /** The host's first message; absent when the person begins. */
      initialPrompt: text('The first words.'),
    },
  ),
  /** Of kind `conversation.exchange`. */
  ConversationExchangeData: closed(
    {
      /** The conversation that goes on. */
      conversationId: conversationId(),
      /** The message that is to be answered. */
      prompt: name('What is said.'),
    },
    {
      /** The reply must fit it; any text when absent. */
      outcomeSchema: anyObject('JSON Schema of the reply.'),
      /** Which turn. From 0. */
      turnIndex: count('Which turn.'),
    },
  ),
  /** Of kind `conversation.close`. */
  ConversationCloseData: closed(
    {
      /** The conversation that ends. */
      conversationId: conversationId(),
    },
    {
      /** Why it ends. For people; absent when it ended as planned. */
      reason: text('Why it ends.'),
    },
  ),
  /** Of kind `low-confidence`. */
  LowConfidenceData: closed(
    {
      /** The agent whose answer is in question. */
      agentId: boundedAgentId('The agent that was unsure.'),
      /** How sure it should have been. From 0 to 1, as the agent or the run declares it. */
      threshold: fraction('How sure it should have been.'),
      /** How sure it was. From 0 to 1, as the agent reported it. */
      observed: fraction('How sure it was.'),
    },
    {
      /** The answer that a person confirms or replaces. Content. */
      decision: anything('What it would have decided.'),
    },
  ),
};

/** The protocol's schema of a question that suspends a run. */
export const suspendRequest = closed(
  {
    /** What is asked for. Decides which of the shapes `data` has. */
    kind: interruptKind('What is asked for.'),
    /** The same key is the same question. Unique among the open questions of the run; at most 256 characters. */
    key: text('The same key is the same question.', { minLength: 1, maxLength: 256 }),
    /** The question itself, in the shape of its `kind`. */
    data: plain<unknown>({ oneOf: Object.keys(DATA).map((kind) => ({ $ref: `#/$defs/${kind}` })) }),
  },
  {
    /** The answer must fit it, or is refused with `INVALID_RESUME_VALUE`; any JSON when absent. */
    resumeSchema: anyObject('JSON Schema of the answer.'),
    /** After that time an approval counts as refused; the question waits without limit when absent. */
    timeoutMs: count('How long to wait, in milliseconds.'),
  },
  {
    ...published('suspend-request', 'InterruptPayload', 'What a run waits for.'),
    $defs: DATA,
  },
);
/** A question that a run asks people, as the protocol describes it. */
export type SuspendRequestWire = Wire<typeof suspendRequest>;
