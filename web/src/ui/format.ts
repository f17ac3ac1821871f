// Dates, durations and figures by Intl, in the language of the interface. Times are relative when younger than a day, else absolute.

export interface Format {
  number(value: number): string
  percent(share: number): string
  /** "20 November 2026, 13:05". */
  dateTime(at: number): string
  date(at: number): string
  time(at: number): string
  /** With its zone, for the `title` of a time. */
  exact(at: number, timeZone?: string): string
  /** "5 minutes ago" within a day of `now`, else the date and time. */
  ago(at: number, now: number): string
  /** "1 min 40 s", "2 h 5 min". */
  duration(seconds: number): string
  list(items: readonly string[]): string
}

const day = { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' } as const
const clock = { hour: '2-digit', minute: '2-digit', timeZoneName: 'short' } as const

export function formatter(language: string): Format {
  const number = new Intl.NumberFormat(language)
  const percent = new Intl.NumberFormat(language, { style: 'percent', maximumFractionDigits: 0 })
  const dateTime = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  const relative = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  const unit = (value: number, name: string) =>
    new Intl.NumberFormat(language, { style: 'unit', unit: name, unitDisplay: 'short' }).format(value)
  return {
    number: (value) => number.format(value),
    percent: (share) => percent.format(share),
    dateTime: (at) => dateTime.format(at),
    date: (at) => new Intl.DateTimeFormat(language, { dateStyle: 'medium' }).format(at),
    time: (at) => new Intl.DateTimeFormat(language, { timeStyle: 'short' }).format(at),
    exact: (at, timeZone) => new Intl.DateTimeFormat(language, { ...day, ...clock, timeZone }).format(at),
    ago(at, now) {
      const seconds = Math.round((at - now) / 1_000)
      const size = Math.abs(seconds)
      if (size >= 86_400) return dateTime.format(at)
      if (size < 60) return relative.format(seconds, 'second')
      return size < 3_600 ? relative.format(Math.round(seconds / 60), 'minute') : relative.format(Math.round(seconds / 3_600), 'hour')
    },
    duration(seconds) {
      const whole = Math.round(seconds)
      if (whole < 60) return unit(whole, 'second')
      const minutes = Math.floor(whole / 60)
      if (minutes < 60) return whole % 60 === 0 ? unit(minutes, 'minute') : `${unit(minutes, 'minute')} ${unit(whole % 60, 'second')}`
      return minutes % 60 === 0 ? unit(minutes / 60, 'hour') : `${unit(Math.floor(minutes / 60), 'hour')} ${unit(minutes % 60, 'minute')}`
    },
    list: (items) => new Intl.ListFormat(language, { style: 'long', type: 'conjunction' }).format(items),
  }
}
