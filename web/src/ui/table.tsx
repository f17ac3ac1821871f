// A data table in a focusable, named region, so that a wide one scrolls by keyboard and a phone never scrolls sideways.
import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  name: string
  head: string
  cell: (row: Row) => ComponentChildren
  number?: boolean
  /** The column that names the row; rendered as its header. */
  rowHead?: boolean
  /** Keeps the heading for screen readers only (a column of buttons). */
  hideHead?: boolean
}

export interface TableProps<Row> {
  caption: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  rowKey: (row: Row) => string
  /** Wire hooks on a row, such as `data-testid` and `data-status`. */
  rowProps?: (row: Row) => Record<string, string | number | boolean | undefined>
}

export function Table<Row>({ caption, columns, rows, rowKey, rowProps }: TableProps<Row>) {
  return (
    <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class="table">
        <caption class="vh">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.name} scope="col" class={column.number ? 'cell-number' : undefined}>
                {column.hideHead ? <span class="vh">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)} {...rowProps?.(row)}>
              {columns.map((column) =>
                column.rowHead ? (
                  <th key={column.name} scope="row">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.name} class={column.number ? 'cell-number' : undefined}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
