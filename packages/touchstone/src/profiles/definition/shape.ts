import { type HostError, type Issue, type Json, validationError } from '@touchstone/protocol';

/** Tells what is wrong, and where. */
export type Report = (pointer: string, message: string) => void;

/**
 * One kind of value of a definition: how it is read from what an author wrote, and written again. `Input` is what an
 * author may write, `Value` what becomes of it, with every default filled in.
 */
export type Shape<Value, Input = Value> = {
  /** The frozen value; undefined when there is none. Whether it may be used depends on what has been reported. */
  read(value: unknown, pointer: string, report: Report): Value | undefined;
  write(value: Value): Json;
  /** Never set: it only carries the type. */
  readonly input?: Input;
};

export type ValueOf<S> = S extends { read(...given: never[]): infer Value }
  ? Exclude<Value, undefined>
  : never;
export type InputOf<S> = S extends { readonly input?: infer Input } ? Exclude<Input, undefined> : never;

/** A longer list helps nobody, and a hostile file could make it as long as it likes. */
const MAX_LISTED = 100;

/** Gathers what is reported, up to a bound, in the order it is found. */
export function collectIssues(): { readonly report: Report; issues(): readonly Issue[] } {
  const listed: Issue[] = [];
  let count = 0;
  return {
    report: (pointer, message) => {
      count += 1;
      if (count <= MAX_LISTED) listed.push({ pointer, message });
    },
    issues: () =>
      count > MAX_LISTED ? [...listed, { pointer: '', message: `And ${count - MAX_LISTED} more.` }] : listed,
  };
}

const shapes = new WeakMap<object, Shape<unknown>>();

/** Remembers how a value was read, so that a changed copy of it can be held to the same rules. */
export const remember = (value: object, shape: Shape<unknown>): void => {
  shapes.set(value, shape);
};
export const shapeOf = (value: object): Shape<unknown> | undefined => shapes.get(value);

/** The value as this shape, or an error with everything that is wrong. */
export function readAs<Value>(
  shape: Shape<Value, unknown>,
  value: unknown,
  toError: (issues: readonly Issue[]) => HostError = (issues) => validationError(issues),
): Value {
  const { report, issues } = collectIssues();
  const read = shape.read(value, '', report);
  if (issues().length > 0) throw toError(issues());
  return read as Value;
}
