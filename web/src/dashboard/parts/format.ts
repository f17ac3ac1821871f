// Times, durations and counts as the host reads them: the shared formatter, in the dashboard's language.
import { webClock } from '../../ui/clock.ts'
import { formatter } from '../../ui/format.ts'

const format = formatter('en-GB')
/** "14 min", where British English would write "14 mins". */
const units = formatter('en')

export const count = (value: number): string => format.number(value)
export const percent = (share: number): string => format.percent(share)
export const duration = (seconds: number): string => units.duration(seconds)
export const onDay = (iso: string | number): string => format.date(new Date(iso).getTime())
export const onWeekday = (at: number): string => new Intl.DateTimeFormat('en-GB', { weekday: 'short', timeZone: 'UTC' }).format(at)
export const atClock = (iso: string | number): string => format.time(new Date(iso).getTime())
export const exactly = (iso: string | number, timeZone?: string): string => format.exact(new Date(iso).getTime(), timeZone)

/** Relative when younger than a day, else the date and time. */
export const when = (iso: string | number): string => format.ago(new Date(iso).getTime(), webClock.now())

/** "1 slide", "3 slides"; the plural is given where it is not an added s. */
export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`
}

/** A position in a talk: "4:07". */
export function timecode(milliseconds: number): string {
  const whole = Math.floor(milliseconds / 1000)
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`
}

/** The full address of a link that may be relative to this server. */
export const absolute = (link: string): string => new URL(link, location.origin).href

/** Where the host is: mails and pages tell the time of a talk there. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone
