// Makes spellings comparable: accents, compatibility forms and number notations. Total on any string.

/** Nothing to fold: most of an English deck. */
const plainText = /^[\x20-\x7e\n]*$/
const accents = /[\u0300-\u036f\u064b-\u065f\u0670\u06d6-\u06ed]/gu

/** Compatibility forms, accents and vowel points removed; letters keep their case. */
export function fold(text: string): string {
  if (plainText.test(text)) return text
  return text
    .toWellFormed()
    .normalize('NFKD')
    .replace(accents, '')
    .replace(/\u0640/gu, '')
    .normalize('NFC')
    .replace(/ß/gu, 'ss')
}

/** "18,500", "18.500" and "18500" are one number, "3.90" and "3,9" another. */
export function canonicalNumber(figure: string): string {
  if (/^[1-9]\d{0,2}([.,])\d{3}(?:\1\d{3})*$/.test(figure)) return figure.replace(/[.,]/g, '')
  const decimal = /^(\d+)[.,](\d+)$/.exec(figure)
  if (!decimal) return figure
  const fraction = (decimal[2] ?? '').replace(/(?<!0)0+$/, '')
  return fraction === '' ? (decimal[1] ?? figure) : `${decimal[1]}.${fraction}`
}
