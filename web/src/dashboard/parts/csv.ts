// Reads and writes CSV as RFC 4180 has it. Files made here are guarded like the server's: a cell that a spreadsheet would run
// as a formula gets an apostrophe.

/** The records of a file, each as the exact text between its line ends; quoted line ends do not part records. */
export function csvRecords(text: string): string[] {
  const records: string[] = []
  let from = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') isQuoted = !isQuoted
    else if (char === '\n' && !isQuoted) {
      records.push(text.slice(from, at).replace(/\r$/, ''))
      from = at + 1
    }
  }
  if (from < text.length) records.push(text.slice(from))
  return records
}

/** One file of several with the same head; the bytes of every record are untouched. */
export function joinFiles(files: readonly string[]): string {
  const [first = '', ...others] = files
  return (
    first +
    others
      .flatMap((file) => csvRecords(file).slice(1))
      .map((record) => `${record}\r\n`)
      .join('')
  )
}

/** The value of a record's first cell. */
export function firstCell(record: string): string {
  const quoted = /^"((?:[^"]|"")*)"/.exec(record)
  return quoted?.[1] === undefined ? (record.split(',')[0] ?? '') : quoted[1].replaceAll('""', '"')
}

/** Keeps the head and the records whose first cell is in `ids`; the bytes of what stays are untouched. */
export function keepRecords(text: string, ids: ReadonlySet<string>): string {
  const [head = '', ...records] = csvRecords(text)
  return [head, ...records.filter((record) => ids.has(firstCell(record)))].map((record) => `${record}\r\n`).join('')
}

const risky = /^[\s"']*[=+\-@\t\r\n\uFF1D\uFF0B\uFF0D\uFF20]/

/** A file of its own, with the byte order mark that spreadsheets want. */
export function csvFrom(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const cell = (value: string | number) => {
    const text = String(value)
    const guarded = typeof value === 'string' && risky.test(text) ? `'${text}` : text
    return `"${guarded.replaceAll('"', '""')}"`
  }
  return `\uFEFF${[head, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`
}
