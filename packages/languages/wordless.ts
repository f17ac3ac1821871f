// The talk of a deck whose language nobody has written.

/** What stands between a deck's own words in a language that nobody has written: no word of another. */
export const wordless = {
  leads: ['{title}'],
  parts: ['{title}'],
  lastLead: '{title}',
  points: '{list}',
  ledAmong: '{lead}: {list} …',
  among: '{list} …',
  extremes: '{header}: {high}, {highValue}; {low}, {lowValue}',
  compares: '{rows}: {columns}',
  chart: '{series}: {from}, {to}',
  chartOf: '{title}',
  rise: '{series}: {from}, {to}',
  diagram: '{list}',
  pictureOf: '{text}',
  quoted: '{by}: {text}',
}
