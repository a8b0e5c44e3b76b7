/** Takes values one after the other, and keeps no more of them than its result needs. */
export type Fold<In, Out> = { add(value: In): void; result(): Out };

export function foldAll<In, Out>(fold: Fold<In, Out>, values: Iterable<In>): Out {
  for (const value of values) fold.add(value);
  return fold.result();
}

const FIRST_ROOM = 1_024;

/** Numbers in the order in which they came, eight bytes each. */
export type Column = { add(value: number): void; values(): Float64Array };

export function createColumn(): Column {
  let room = new Float64Array(FIRST_ROOM);
  let length = 0;
  return {
    add(value) {
      if (length === room.length) {
        const wider = new Float64Array(2 * length);
        wider.set(room);
        room = wider;
      }
      room[length] = value;
      length += 1;
    },
    values: () => room.subarray(0, length),
  };
}
