import { type EvalMode, type Issue, type Json, validationError } from '@touchstone/protocol';
import { type Body, type Fixtures, fromBody, type Task } from '@touchstone/protocol/bodies';
import { conversationIssues, missingVariable, readConversation } from '../../agents/index.js';
import type { AgentFacts } from '../../ports/index.js';

/** What keeps an agent from being asked a task, by a pointer inside the task; undefined when nothing does. */
export type Obstacle = (task: Task) => Issue | undefined;

/**
 * What has to be looked for in every task of a run; undefined for agents that can be asked anything. Some agents call tools
 * of their own: nothing here could stand in for them, so nothing is pretended. A template is never filled with nothing. And
 * a tool that lacks a variable (`unset`) cannot be called.
 */
export function taskObstacle(
  facts: AgentFacts,
  modes: readonly EvalMode[],
  unset: string | undefined,
): Obstacle | undefined {
  const isLive = modes.includes('live-shadow');
  const ofTools = toolObstacle(facts, isLive, unset);
  const { templateNames, conversation } = facts;
  if (conversation) return (task) => ofTools?.(task) ?? noConversation(task, facts);
  return templateNames ? (task) => ofTools?.(task) ?? missing(task, templateNames) : ofTools;
}

/** An agent that is talked to is told messages in every turn, whatever the task holds. */
const EACH_TURN = { messages: [{ role: 'user', content: '' }] };

function noConversation({ input, taskId }: Task, facts: AgentFacts): Issue | undefined {
  const [issue] = inputIssues(facts, fromBody(input));
  return issue && { pointer: `/input${issue.pointer}`, message: `Task "${taskId}": ${issue.message}.` };
}

function inputIssues({ conversation, templateNames = [] }: AgentFacts, input: Json): readonly Issue[] {
  if (!conversation) return [];
  const name = missingVariable(templateNames, EACH_TURN);
  const message = `the agent's template names {{ ${name} }}, and in a conversation there are messages, last and conversationId`;
  return [
    ...conversationIssues(input, conversation),
    ...(name === undefined ? [] : [{ pointer: '', message }]),
  ];
}

function toolObstacle(
  { wraps, ...facts }: AgentFacts,
  isLive: boolean,
  unset: string | undefined,
): Obstacle | undefined {
  const { kind, templateNames } = wraps ?? facts;
  if (kind === 'http' && templateNames) return isLive ? undefined : toolFixtures;
  if (kind === 'openwop') return isLive ? undefined : anyFixtures;
  return unset === undefined ? undefined : (task) => callsLive(task, isLive, unset);
}

/** Fixtures stand in for tools, so a task that has some calls none. */
const callsLive = ({ fixtures, taskId }: Task, isLive: boolean, unset: string): Issue | undefined =>
  fixtures && !isLive ? undefined : { pointer: '', message: `Task "${taskId}" may call a tool. ${unset}` };

const anyFixtures: Obstacle = ({ fixtures, taskId }) =>
  fixtures && {
    pointer: '/fixtures',
    message: `Task "${taskId}" has fixtures, and an agent on another host uses that host's tools and memory. Ask for mode live-shadow, which goes without them.`,
  };

const answersTools = ({ toolResponses = [] }: Fixtures): boolean => toolResponses.length > 0;

/** Memory reaches a mapped service through its template; tools do not. */
const toolFixtures: Obstacle = ({ fixtures, taskId }) =>
  fixtures && answersTools(fixtures)
    ? {
        pointer: '/fixtures/toolResponses',
        message: `Task "${taskId}" has tool fixtures, and a mapped service calls its own tools. Ask for mode live-shadow, which goes without them.`,
      }
    : undefined;

function missing({ input, taskId }: Task, names: readonly string[]): Issue | undefined {
  const name = missingVariable(names, fromBody(input));
  return name === undefined
    ? undefined
    : { pointer: '/input', message: `Task "${taskId}" has ${noValue(name)}` };
}

const noValue = (name: string): string =>
  `no value for {{ ${name} }} in the agent's template. Add it to the input, or write a default: {{ ${name} | default("…") }}.`;

/** The same for a single invocation, by a pointer inside its inputs. */
export function requestIssues(facts: AgentFacts, inputs: Body): readonly Issue[] {
  const { templateNames = [], conversation } = facts;
  if (conversation) return inputIssues(facts, fromBody(inputs));
  const name = missingVariable(templateNames, fromBody(inputs));
  return name === undefined ? [] : [{ pointer: '', message: `The inputs have ${noValue(name)}` }];
}

/** Refuses the run for the first of the chosen tasks that the agent cannot be asked. */
export async function refuseUnfit(
  pages: AsyncIterable<readonly Task[]>,
  ordinals: readonly number[] | undefined,
  obstacle: Obstacle,
): Promise<void> {
  for await (const { task, ordinal } of chosenTasks(pages, ordinals)) {
    const issue = obstacle(task);
    if (!issue) continue;
    const pointer = `/tasks/${ordinal}${issue.pointer}`;
    throw validationError([{ ...issue, pointer }], { field: 'evalSuiteRef' });
  }
}

/** Whether a model plays the user in one of the chosen tasks. */
export async function needsUser(
  pages: AsyncIterable<readonly Task[]>,
  ordinals: readonly number[] | undefined,
): Promise<boolean> {
  for await (const { task } of chosenTasks(pages, ordinals)) if (hasSimulatedUser(task.input)) return true;
  return false;
}

export function hasSimulatedUser(input: Body): boolean {
  const conversation = readConversation(fromBody(input));
  return 'user' in conversation;
}

async function* chosenTasks(pages: AsyncIterable<readonly Task[]>, ordinals: readonly number[] | undefined) {
  const selected = ordinals && new Set(ordinals);
  let ordinal = 0;
  for await (const page of pages) {
    for (const task of page) {
      if (selected?.has(ordinal) ?? true) yield { task, ordinal };
      ordinal += 1;
    }
  }
}
