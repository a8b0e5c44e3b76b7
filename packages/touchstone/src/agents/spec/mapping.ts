import { type Issue, isObject, type Json } from '@touchstone/protocol';
import {
  type AnyObject,
  choice,
  closed,
  issueAt,
  json,
  ruled,
  text,
  type Wire,
} from '@touchstone/protocol/schema';
import { createTemplate } from '../templates/render.js';
import { filled } from './members.js';

/** Where a value is in what a service answers. The empty pointer is the whole answer. */
const pointer = ruled(text(undefined, { maxLength: 1024 }), (value: string) =>
  issueAt('', !/^(\/([^~]|~[01])*)?$/su.test(value) && 'expected a JSON pointer such as /reply/text, or ""'),
);

/** A text with placeholders, or JSON with such texts inside. */
const template = ruled(json(), (value: Json) => {
  const read = createTemplate(value);
  return 'trouble' in read ? issueAt(read.pointer, read.trouble) : [];
});

const responseMap = closed(
  {},
  {
    /** The answer; the whole body by default. */
    output: pointer,
    /** Of a stream: a piece of the answer's text. */
    delta: pointer,
    /** Of a stream of server-sent events: the name of those that count. */
    event: filled(256),
    refused: pointer,
    error: pointer,
    usage: closed({ inputTokens: pointer, outputTokens: pointer }, { model: pointer }),
    /** A list of the tools that the service has called, and where its entries keep what. */
    toolCalls: closed({ list: pointer, tool: pointer }, { inputs: pointer, outcome: pointer }),
  },
);

export type ResponseMap = Wire<typeof responseMap>;

/** Members of an `http` agent that say how an existing service is asked and how its answer is read. */
export const mappingMembers = {
  method: choice(['POST', 'PUT', 'PATCH']),
  request: template,
  response: responseMap,
  stream: choice(['sse', 'jsonl']),
};

/** Without a mapping a service speaks the turn protocol, in which none of these has a meaning. */
export const isMapped = (run: {
  readonly kind?: unknown;
  readonly request?: unknown;
  readonly response?: unknown;
}): boolean => run.kind === 'http' && (run.request !== undefined || run.response !== undefined);

export function mappingIssues(run: AnyObject): readonly Issue[] {
  const { response, stream, method } = run;
  const { delta, event } = isObject(response) ? response : ({} as AnyObject);
  const unmapped = !isMapped(run) && 'only a service with request or response can have this member';
  return [
    ...issueAt('/method', method !== undefined && unmapped),
    ...issueAt('/stream', stream !== undefined && unmapped),
    ...issueAt(
      '/response/delta',
      delta !== undefined && stream === undefined && 'needs stream: sse or jsonl',
    ),
    ...issueAt('/response/event', event !== undefined && stream !== 'sse' && 'needs stream: sse'),
  ];
}

/** The placeholders that the request of a mapped service needs values for; undefined for other agents. */
export function requestNames(run: {
  readonly kind: string;
  readonly request?: Json;
}): readonly string[] | undefined {
  if (!isMapped(run)) return undefined;
  const read = createTemplate(run.request ?? null);
  return 'trouble' in read ? [] : read.names;
}
