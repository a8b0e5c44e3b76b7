/** The command line asks for something that cannot be: exit code 2, one sentence, and what to type instead. */
export class UsageError extends Error {
  readonly hint: string | undefined;
  /** For documents: `conflict` where a host would say so too. */
  readonly code: 'cli_error' | 'conflict';

  constructor(message: string, hint?: string, code: UsageError['code'] = 'cli_error') {
    super(message);
    this.name = 'UsageError';
    this.hint = hint;
    this.code = code;
  }
}
