// A data table in a focusable, named region, so that a wide one scrolls by keyboard. Where there is no room for its columns each row
// is laid out as a card, every value beside its name; the roles are written out because such a layout would take them away.
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
  /** For a table whose few columns fit a phone as they are. */
  keepsRows?: boolean
  /** Wire hooks on a row, such as `data-testid` and `data-status`. */
  rowProps?: (row: Row) => Record<string, string | number | boolean | undefined>
}

export function Table<Row>({ caption, columns, rows, rowKey, rowProps, keepsRows = false }: TableProps<Row>) {
  return (
    <div class="table-scroll" role="region" aria-label={caption} tabIndex={0}>
      <table class={keepsRows ? 'table' : 'table table-cards'} role="table">
        <caption class="vh">{caption}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <th key={column.name} scope="col" role="columnheader" class={column.number ? 'cell-number' : undefined}>
                {column.hideHead ? <span class="vh">{column.head}</span> : column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr key={rowKey(row)} role="row" {...rowProps?.(row)}>
              {columns.map((column) =>
                column.rowHead ? (
                  <th key={column.name} scope="row" role="rowheader">
                    {column.cell(row)}
                  </th>
                ) : (
                  <td
                    key={column.name}
                    role="cell"
                    class={column.number ? 'cell-number' : undefined}
                    data-label={column.hideHead ? undefined : column.head}
                  >
                    {column.hideHead ? column.cell(row) : <div class="cell">{column.cell(row)}</div>}
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
