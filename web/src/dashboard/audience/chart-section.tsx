// A chart with its heading, the one sentence it says, and the same figures as a table under "Show data".
import type { ComponentChildren } from 'preact'
import { useId } from 'preact/hooks'

export interface ChartSectionProps {
  title: string
  /** What the chart shows, in one sentence. */
  says: string
  head: readonly string[]
  rows: readonly (readonly (string | number)[])[]
  children: ComponentChildren
}

export function ChartSection({ title, says, head, rows, children }: ChartSectionProps) {
  const id = useId()
  return (
    <section class="chart-section" aria-labelledby={id}>
      <h2 id={id}>{title}</h2>
      <p class="muted">{says}</p>
      {children}
      <details class="fold">
        <summary>Show data</summary>
        <div class="table-scroll" role="region" aria-label={`${title}, data`} tabIndex={0}>
          <table class="table">
            <thead>
              <tr>
                {head.map((name, index) => (
                  <th key={name} scope="col" class={index === 0 ? undefined : 'cell-number'}>
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map((row, index) => (
                <tr key={index}>
                  {row.map((cell, column) =>
                    column === 0 ? (
                      <th key={column} scope="row">
                        {cell}
                      </th>
                    ) : (
                      <td key={column} class="cell-number">
                        {cell}
                      </td>
                    ),
                  )}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  )
}
