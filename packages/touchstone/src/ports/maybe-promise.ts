/**
 * A value that is often at hand. Awaiting a promise costs a turn of the event loop's microtask queue, and an instant task
 * costs little more than that: callers on the path of every task look whether they got a promise before they wait.
 */
export type MaybePromise<T> = T | Promise<T>;
