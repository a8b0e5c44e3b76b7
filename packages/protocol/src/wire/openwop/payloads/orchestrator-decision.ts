import { closed, constant, flag, fraction, list, name, plain, published, text } from '../../schema/build.js';

const nextWorker = closed(
  {
    /** Others work next. */
    kind: constant('next-worker'),
    /** Who: ids of nodes here, as no worker of this host is an agent. */
    nextWorkerIds: list(text(undefined, { minLength: 1, maxLength: 256 }), 'Who works next.', {
      minItems: 1,
    }),
  },
  { confidence: fraction('How sure the orchestrator is.') },
  { title: 'NextWorkerDecision' },
);
const askUser = closed(
  {
    /** A person is asked. */
    kind: constant('ask-user'),
    /** The question. Content. */
    prompt: name('What is asked.'),
  },
  {},
  { title: 'AskUserDecision' },
);
const terminate = closed(
  {
    /** The run ends in an orderly way. */
    kind: constant('terminate'),
  },
  {
    /** Why; absent when the orchestrator does not say. */
    reason: name('Why the run ends.'),
    confidence: fraction('How sure the orchestrator is.'),
    /** What was to be reached, each with whether it was: names and flags, no content. */
    successCriteria: list(closed({ key: name('Which criterion.'), met: flag('Whether it is met.') })),
  },
  { title: 'TerminateDecision' },
);

type Decision =
  | { readonly kind: 'next-worker'; readonly nextWorkerIds: readonly string[] }
  | { readonly kind: 'ask-user'; readonly prompt: string }
  | { readonly kind: 'terminate'; readonly reason?: string };

/** The protocol's schema of what an orchestrator does next. */
export const orchestratorDecision = plain<Decision>({
  ...published(
    'orchestrator-decision',
    'OrchestratorDecision',
    'What the agent that leads a workflow does next.',
  ),
  type: 'object',
  required: ['kind'],
  oneOf: [nextWorker, askUser, terminate],
});
