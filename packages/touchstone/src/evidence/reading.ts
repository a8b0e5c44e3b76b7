import { type Issue, pointerOf, validationError } from '@touchstone/protocol';

/** A file that is wrong a hundred thousand times is not worth a hundred thousand sentences. */
const MOST_ISSUES = 20;

/**
 * Where a reader stands in a foreign document, and what it has found wrong so far. Pointers are made of indices and of
 * names that a scorecard knows: the names in the document are foreign text and are never repeated.
 */
export class Reading {
  readonly #path: (string | number)[] = [];
  readonly #issues: Issue[] = [];

  refuse(message: string): undefined {
    this.#issues.push({ pointer: pointerOf(this.#path), message });
    if (this.#issues.length === MOST_ISSUES) this.finish();
    return undefined;
  }

  /** Reads what lies one step further in. */
  at<T>(step: string | number, read: () => T): T {
    this.#path.push(step);
    const found = read();
    this.#path.pop();
    return found;
  }

  finish(): void {
    if (this.#issues.length > 0) throw validationError(this.#issues);
  }
}
