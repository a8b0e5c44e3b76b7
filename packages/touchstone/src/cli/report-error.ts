import { isHostError } from '@touchstone/protocol';
import { HostResponseError, HostUnreachable } from '@touchstone/sdk';
import type { PlacedIssue } from './files/locate-issues.js';
import { type ExitCode, type Io, UsageError, writeJson, writeLine } from './io.js';
import { hintFor, issuesOf, type Refusal } from './refusal-hints.js';
import { printable } from './render/text.js';
import { isSystemError, UnwritableError, wordsOf } from './system-errors.js';
import { FLAGS } from './verbs/run/run-options.js';

/** Writes what went wrong and what to do about it, never a stack trace unless one is asked for. */
export function reportError(error: unknown, io: Io, json = false): ExitCode {
  const { lines, exitCode } = explain(error);
  if (json) writeJson(io, { exitCode, error: errorDocument(error) });
  for (const line of lines) writeLine(io.stderr, line);
  if (io.env.TOUCHSTONE_DEBUG && error instanceof Error) writeLine(io.stderr, stackOf(error));
  return exitCode;
}

type ErrorDocument = { readonly code: string; readonly message: string; readonly details?: object };

/** A program that parses stdout finds a document there also after an error. */
export function errorDocument(error: unknown): ErrorDocument {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof UsageError) return { code: error.code, message };
  if (!isHostError(error) && !(error instanceof HostResponseError)) return { code: 'cli_error', message };
  return { code: error.code, message, ...(error.details && { details: error.details }) };
}

type Explained = { readonly lines: readonly string[]; readonly exitCode: ExitCode };

/** Errors repeat what was typed, what a file is called and what another host answers, and all of that may hold anything. */
export function explain(error: unknown): Explained {
  const { lines, exitCode } = explainRaw(error);
  return { lines: lines.map(printable), exitCode };
}

function explainRaw(error: unknown): Explained {
  if (error instanceof UsageError) {
    const lines = [`error: ${error.shown ?? error.message}`, ...(error.hint ? [error.hint] : [])];
    return { lines, exitCode: 2 };
  }
  if (isHostError(error) || error instanceof HostResponseError) return explainRefusal(error);
  if (isSystemError(error) && error.path !== undefined) {
    return { lines: [`error: ${error.path} cannot be used: ${wordsOf(error)}.`], exitCode: 2 };
  }
  if (error instanceof HostUnreachable || error instanceof UnwritableError)
    return { lines: [`error: ${error.message}`], exitCode: 3 };
  const message = error instanceof Error ? error.message : String(error);
  const hint = 'This was not expected. Set TOUCHSTONE_DEBUG=1 to see where it happened.';
  return { lines: [`error: ${message}`, hint], exitCode: 3 };
}

/** A refusal of what was asked is bad input; anything the host could not do is a run that could not be judged. */
function explainRefusal(error: Refusal): Explained {
  const issues = renderIssues(issuesOf(error), fileOf(error));
  const [only, ...more] = issues;
  const words =
    only === undefined || isAboutRef(error)
      ? error.message
      : more.length === 0
        ? only.trim()
        : `${issues.length} things are wrong:`;
  const hint = hintFor(error);
  const lines = [
    `error ${error.code}: ${words}`,
    ...(more.length > 0 ? issues : []),
    ...(hint ? [hint] : []),
  ];
  return { lines, exitCode: error.status >= 500 || isUnjudgeable(error) ? 3 : 2 };
}

/** Nothing is wrong with the request; the judge or embedder that it needs is not available. */
const isUnjudgeable = ({ details }: Refusal): boolean =>
  details?.code === 'judge_unavailable' || details?.code === 'embedder_unavailable';

/** The message then tells which file of which agent of a pack is meant, and the first thing that is wrong with it. */
const isAboutRef = (error: Refusal): boolean => typeof error.details?.ref === 'string';

function fileOf(error: Refusal): string | undefined {
  const file = isAboutRef(error) ? error.details?.path : error.details?.file;
  return typeof file === 'string' ? file : undefined;
}

const TYPED: { readonly [pointer: string]: string } = {
  // Often the user has not typed it: a pack or the suite has named it.
  '/agentId': 'the agent:',
  '/evalSuiteRef': 'the suite:',
  '/runId': 'the run:',
  '/judge': '--judge',
  '/against': '--baseline',
  '/fromSeq': '--from',
  '/transition': '',
  '/version': 'the version:',
  '/toState': '--to',
  '/channel': '--channel',
  '/canaryPercent': '--canary',
  '/options/scope': '--scope',
  '/options/org': '--org',
  '/options/name': '--suite-name',
  '/options/targetAgentId': '--agent-id',
  '/options/sample/count': '--sample',
};

/** What a person typed for a member of the request; any other pointer is shown as it is. */
function flagOf(pointer: string): string {
  const [, member = '', knob = ''] = pointer.split('/');
  if (member === 'configurable') return FLAGS[knob] ?? pointer;
  return TYPED[pointer] ?? (pointer || '/');
}

/** A member of the request that a person would set by a flag. */
const inFlags = (message: string): string =>
  message.replace(/Set configurable\.(\w+) to true/g, (words, knob) =>
    FLAGS[knob] === undefined ? words : `Add ${FLAGS[knob]}`,
  );

/** `file:line:column pointer message`, the form that terminals and editors turn into links. */
export const renderIssues = (issues: readonly PlacedIssue[], fileOfAll?: string): string[] =>
  issues.map(({ pointer, message, line, column, file = fileOfAll }) => {
    const place = [file, line, line === undefined ? undefined : column]
      .filter((part) => part !== undefined)
      .join(':');
    // A pointer into a file is about what stands there, not about an option.
    return `  ${[place, file === undefined ? flagOf(pointer) : pointer || '/', inFlags(message)]
      .filter((part) => part !== '')
      .map(printable)
      .join(' ')}`;
  });

function stackOf(error: Error): string {
  const cause = error.cause instanceof Error ? `\ncaused by ${stackOf(error.cause)}` : '';
  return `${error.stack ?? error.message}${cause}`;
}
