// What people who registered are told, in the language of the talk: plain text and the same as markup, one thing to do, and how to hear no
// more (RFC 8058). A title that somebody chose stands in quotation marks.
import type { Brand } from '@rostrum/contract/brand'
import { ground, paletteOf } from '@rostrum/contract/palette'
import { type Message, quoted } from '../accounts/mail.ts'
import { baseLanguage, fill, languageOf } from '@rostrum/languages/languages'
import { type Html, html } from './markup.ts'

export interface MailLink {
  label: string
  url: string
}

export interface Letter {
  to: string
  subject: string
  language: string
  /** Paragraphs. */
  text: readonly string[]
  /** A list, such as what somebody asked, each with where it leads. */
  items?: readonly { text: string; link?: MailLink }[]
  /** What there is to do, the first above all. */
  links: readonly MailLink[]
  foot: readonly string[]
  /** The address that ends such mails, by one press of a mail program or of a person. */
  stop: MailLink
  /** Who it comes from, as a line above. */
  from: string
  brand?: Brand | null
  icalEvent?: Message['icalEvent']
}

const rightToLeft = new Set(['ar', 'he', 'fa', 'ur'])

export function messageOf(letter: Letter): Message {
  const { to, subject, text, items = [], links, foot, stop, from, icalEvent } = letter
  const plain = [
    ...text,
    ...items.map((item) => `- ${item.text}${item.link ? `\n  ${item.link.label}: ${item.link.url}` : ''}`),
    ...links.map(({ label, url }) => `${label}:\n${url}`),
    '--',
    from,
    ...foot,
    `${stop.label}: ${stop.url}`,
  ]
  const headers = { 'List-Unsubscribe': `<${stop.url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
  return { to, subject, fromName: from, text: `${plain.join('\n\n')}\n`, html: pageOf(letter), headers, ...(icalEvent && { icalEvent }) }
}

const { ink, 'ink-2': quiet } = ground.light

/** No picture but a logo of the host, no style sheet, nothing that is loaded to tell that it was read. */
function pageOf({ language, subject, text, items = [], links, foot, stop, from, brand }: Letter): string {
  const { logoUrl, logo, ...colours } = brand ?? {}
  const { accent, fill: filled = accent, paper, card, 'on-accent': on = card } = { ...ground.light, ...paletteOf(colours).light }
  const paragraph = (words: string) => html`<p style="margin:0 0 16px;white-space:pre-line">${words}</p>`
  const [main, ...others] = links
  const button = (link: MailLink | undefined): Html | undefined =>
    link &&
    html`<p style="margin:0 0 20px">
      <a
        href="${link.url}"
        style="display:inline-block;padding:12px 20px;border-radius:6px;background:${filled};color:${on};text-decoration:none;font-weight:600"
        >${link.label}</a
      >
    </p>`
  const list = html`<ul style="margin:0 0 20px;padding-inline-start:20px">
    ${items.map(
      ({ text: words, link }) =>
        html`<li style="margin:0 0 10px">
          <bdi>${words}</bdi>${link && html`<br /><a href="${link.url}" style="color:${accent}">${link.label}</a>`}
        </li>`,
    )}
  </ul>`
  return html`<!doctype html>
    <html lang="${language}" dir="${rightToLeft.has(baseLanguage(language)) ? 'rtl' : 'ltr'}">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light" />
        <title>${subject}</title>
      </head>
      <body style="margin:0;padding:24px 12px;background:${paper};color:${ink};font:16px/1.5 system-ui,sans-serif">
        <div style="max-width:560px;margin:0 auto">
          <p style="margin:0 0 12px;color:${quiet};font-size:14px">
            ${logoUrl && html`<img src="${logoUrl}" alt="" width="${logo === undefined ? 32 : Math.round((32 * logo.width) / logo.height)}" height="32" style="display:block;margin:0 0 8px" />`}<bdi>${from}</bdi>
          </p>
          <main style="padding:28px 24px 12px;border-radius:8px;background:${card}">
            ${text.map(paragraph)}${items.length > 0 && list}${button(main)}${others.map(
              ({ label, url }) => html`<p style="margin:0 0 12px"><a href="${url}" style="color:${accent}">${label}</a></p>`,
            )}
          </main>
          <div style="padding:16px 24px;color:${quiet};font-size:13px">
            ${foot.map((words) => html`<p style="margin:0 0 8px">${words}</p>`)}
            <p style="margin:0"><a href="${stop.url}" style="color:${quiet}">${stop.label}</a></p>
          </div>
        </div>
      </body>
    </html> `.html
}

/** Every mail about one talk that its people get. */
export type Occasion =
  | 'confirmed'
  | 'waiting'
  | 'promoted'
  | 'moved'
  | 'off'
  | 'cancelled'
  | 'link'
  | 'invited'
  | 'reminder'
  | 'now'
  | 'recap'
  | 'replay'

interface About {
  title: string
  host: string
  language: string
  startsAt: number | null
  timeZone: string | null
}

/** "Wednesday, 25 November 2026 at 10:00 Central European Standard Time (Europe/Berlin)" */
export function timeIn({ language, startsAt, timeZone }: { language: string; startsAt: number; timeZone: string | null }): string {
  const day = { weekday: 'long', year: 'numeric', month: 'long', day: 'numeric' } as const
  const clock = { hour: 'numeric', minute: '2-digit', timeZoneName: 'long' } as const
  const at = new Intl.DateTimeFormat(language, { ...day, ...clock, timeZone: timeZone ?? 'UTC' }).format(startsAt)
  return timeZone === null ? at : `${at} (${timeZone.replaceAll('_', ' ')})`
}

const firstTitleMax = 60
/** In a mail to an address that nobody has confirmed: cut, and no mail program makes a link of a part of it. */
export const harmless = (title: string): string =>
  quoted(title, firstTitleMax)
    .slice(1, -1)
    .replaceAll(/(?<=\S)[.:@/](?=\S)/gu, (sign) => `${sign}\u2060`)

const shown = (title: string) => title.replaceAll(/["“”\s]+/g, ' ').trim()

export function wordsFor(occasion: Occasion, { title, host, language, startsAt, timeZone }: About) {
  const { mails } = languageOf(language)
  const gaps = { title: shown(title), host: shown(host) }
  const when = startsAt === null ? [] : [timeIn({ language, startsAt, timeZone })]
  const isTimed = !['off', 'cancelled', 'recap', 'replay', 'link'].includes(occasion)
  const { subject, text } = occasion === 'invited' ? mails.invited : mails.told[occasion]
  return {
    subject: fill(subject, gaps),
    text: [fill(text, gaps), ...(isTimed ? when : [])],
    labels: mails.labels,
    why: fill(mails.why, gaps),
  }
}
