// What a finding of the lint is called where there is room for a word or two.
const words: Readonly<Record<string, string>> = {
  fragment: 'Half a sentence',
  furniture: 'Layout, not talk',
  label: 'A label',
  address: 'An address',
  junk: 'Signs or code',
  verbatim_bullet: 'Read from the slide',
  repeat: 'Said before',
  too_long: 'Too long',
  too_dense: 'Too much',
  number_without_unit: 'A number of what?',
  unknown_abbreviation: 'Abbreviation',
  wrong_language: 'Another language',
  silent_slide: 'Nothing is said',
  poll: 'No poll',
}

export const findingWord = (code: string): string => words[code] ?? code

export const fixWord = (fix: string | null): string => (fix === null ? 'Leave it out' : fix.includes('\n') ? 'Split it' : 'Fix it')
