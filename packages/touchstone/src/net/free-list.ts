/**
 * Objects that come and go fast, each kept at an index until it is taken out. A `Set` would do as well, but it copies its table
 * again and again while they come and go. The garbage collector moves such a table to the old generation, and everything that a
 * dropped table points to stays in memory with it (decision 125). Here an index is emptied and used again.
 */
export class FreeList<T extends object> implements Iterable<T> {
  readonly #objects: (T | undefined)[] = [];
  readonly #free: number[] = [];

  get size(): number {
    return this.#objects.length - this.#free.length;
  }

  add(object: T): number {
    const index = this.#free.pop() ?? this.#objects.length;
    this.#objects[index] = object;
    return index;
  }

  at(index: number): T | undefined {
    return this.#objects[index];
  }

  /** Once for each object: its index may have been given to another one since. */
  remove(index: number): void {
    this.#objects[index] = undefined;
    this.#free.push(index);
  }

  /** In the order of their indexes. */
  *[Symbol.iterator](): Iterator<T> {
    for (const object of this.#objects) if (object !== undefined) yield object;
  }
}
