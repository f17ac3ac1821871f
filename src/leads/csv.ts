// Spreadsheets: RFC 4180 with a byte order mark, and no cell that a spreadsheet would run as a formula.

const startsFormula = /^["'\s]*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/u

/** One cell, always quoted; a leading apostrophe disarms what would be read as a formula. */
export function csvCell(value: string): string {
  const safe = startsFormula.test(value) ? `'${value}` : value
  return `"${safe.replaceAll('"', '""')}"`
}

/** A whole file: header and rows, CRLF line ends. */
export function csvFile(header: readonly string[], rows: readonly (readonly string[])[]): string {
  return `\uFEFF${[header, ...rows].map((row) => row.map(csvCell).join(',')).join('\r\n')}\r\n`
}
