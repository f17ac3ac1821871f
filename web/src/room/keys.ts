// Single keys of the room; none acts inside a field or with a modifier, and one switch turns them all off (WCAG 2.1.4).

export type RoomAction =
  | 'ask'
  | 'hand'
  | 'sound'
  | 'captions'
  | 'transcript'
  | 'theatre'
  | 'enlarge'
  | 'dim'
  | 'pause'
  | 'review_next'
  | 'review_previous'
  | 'live'
  | 'keys'

export interface KeyPress {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
  /** The focus is in an input, a textarea, a select or an editable element. */
  inField: boolean
  /** The focus is on a control that itself uses the key (Space on a button, arrows in a tab list or a menu). */
  onControl: boolean
}

export interface KeyContext {
  isolated: boolean
  singleKeys: boolean
  rtl: boolean
}

const letters: Readonly<Record<string, RoomAction>> = {
  '/': 'ask',
  q: 'ask',
  h: 'hand',
  m: 'sound',
  c: 'captions',
  t: 'transcript',
  f: 'theatre',
  z: 'enlarge',
  d: 'dim',
  '?': 'keys',
}

export function actionFor(press: KeyPress, context: KeyContext): RoomAction | null {
  if (press.ctrlKey || press.metaKey || press.altKey || press.inField) return null
  if (press.key === 'Escape') return 'live'
  if (!press.onControl && (press.key === 'ArrowRight' || press.key === 'ArrowLeft')) {
    return (press.key === 'ArrowRight') === !context.rtl ? 'review_next' : 'review_previous'
  }
  if (!context.singleKeys) return null
  if (press.key === ' ') return context.isolated && !press.onControl ? 'pause' : null
  return letters[press.key.toLowerCase()] ?? null
}
