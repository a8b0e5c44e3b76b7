import type { ComponentChildren } from 'preact';

type TableProps = {
  readonly label: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly ComponentChildren[])[];
};

/** A short table. Its first column names the rows; all others are numbers. */
export const Table = ({ label, head, rows }: TableProps) => (
  <div class="table-box">
    <table class="table" aria-label={label}>
      <thead>
        <tr>
          {head.map((name) => (
            <th key={name} scope="col">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, at) => (
          <tr key={at}>
            {row.map((cell, column) =>
              column === 0 ? (
                <th key={column} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={column}>{cell}</td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  </div>
);

/** The numbers of a chart, for those who would rather read them. */
export const AsTable = (props: TableProps) => (
  <details class="as-table">
    <summary>As a table</summary>
    <Table {...props} />
  </details>
);
