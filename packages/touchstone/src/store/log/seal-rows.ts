import type { MaybePromise, TaskRecord } from '../../ports/index.js';
import type { SqlValue } from '../db.js';
import { jsonOrNull } from '../rows.js';
import { MAX_CHARACTERS } from './group-commit.js';

/** Records as rows, the values of all of them in one list. */
export type SealRows = {
  readonly values: readonly SqlValue[];
  /** The first record that is not among them. */
  readonly end: number;
  readonly characters: number;
};

/**
 * The rows of as many records as are written in one piece, from one of them on, and of that one in any case. Values go straight
 * into the list: making a list per row and joining them took as long as their JSON.
 */
export function fittingRows(
  runNo: number,
  records: readonly TaskRecord[],
  from: number,
  sealedAt: number,
): SealRows {
  const values: SqlValue[] = [];
  let [end, characters] = [from, 0];
  while (end < records.length && characters < MAX_CHARACTERS) {
    characters += pushRecord(values, runNo, records[end] as TaskRecord, sealedAt);
    end += 1;
  }
  return { values, end, characters };
}

function pushRecord(values: SqlValue[], runNo: number, record: TaskRecord, sealedAt: number): number {
  const { ordinal, repeat, events, score } = record;
  const [bodies, block] = [jsonOrNull(record.bodies), JSON.stringify(events)];
  values.push(runNo, ordinal, repeat, events.length, sealedAt, jsonOrNull(score), bodies, block);
  return block.length + (bodies?.length ?? 0);
}

type Pieces = {
  readonly records: readonly TaskRecord[];
  readonly runNo: number;
  readonly sealedAt: number;
  writePiece(rows: SealRows): Promise<unknown>;
};

/**
 * Writes records that are too long for one transaction piece by piece, each when it is their tenant's turn. Answers the rows of
 * the last piece: for usual records all of them, and at once.
 */
export function writeButLast(
  pieces: Pieces,
  takeTurn: (characters: number) => Promise<void>,
): MaybePromise<SealRows> {
  const { records, runNo, sealedAt } = pieces;
  const rows = fittingRows(runNo, records, 0, sealedAt);
  return rows.end === records.length ? rows : writeOn(pieces, rows, takeTurn);
}

async function writeOn(
  { records, runNo, sealedAt, writePiece }: Pieces,
  first: SealRows,
  takeTurn: (characters: number) => Promise<void>,
): Promise<SealRows> {
  let rows = first;
  while (rows.end < records.length) {
    await writePiece(rows);
    await takeTurn(rows.characters);
    rows = fittingRows(runNo, records, rows.end, sealedAt);
  }
  return rows;
}
