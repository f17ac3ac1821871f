// Words found in a text, marked where they stand; case aside, as the server finds them.

export interface MarkedPlace {
  start: number
  end: number
}

/** Null where the text has no such words; an empty search is found everywhere and marks nothing. */
export function placeOf(text: string, words: string): MarkedPlace | null {
  const wanted = words.trim()
  if (wanted === '') return { start: 0, end: 0 }
  const found = new RegExp(wanted.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), 'iu').exec(text)
  return found === null ? null : { start: found.index, end: found.index + found[0].length }
}

export function Marked({ text, start, end }: { text: string } & MarkedPlace) {
  if (end <= start) return <>{text}</>
  return (
    <>
      {text.slice(0, start)}
      <mark>{text.slice(start, end)}</mark>
      {text.slice(end)}
    </>
  )
}
