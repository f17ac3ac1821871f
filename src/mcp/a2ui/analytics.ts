// Analytics as a surface: its parts follow from the figures. Nothing yet gives advice; without an offer there is no offer part; up
// to twelve slides are bars, more give the five that lose people.
import type { Data } from './data.ts'
import { list, number, object, text } from './data.ts'
import type { Composer } from './surface.ts'
import { toolAction } from './surface.ts'

const barsMax = 12
const worstMax = 5
const barWidth = 16

export function composeAnalytics(data: Data, surface: Composer): string[] {
  const sessionId = text(data, 'sessionId')
  const attendees = number(data, 'totalAttendees')
  const show = () => surface.button('Show the session', toolAction('get_session', { sessionId }))
  if (attendees === 0)
    return [surface.text('Nobody has been here yet.', 'h3'), surface.text('Share the link of the room, or rehearse first.'), show()]
  const funnel = object(data, 'funnel')
  const questions = number(data, 'questionsCount')
  const parts = [
    surface.text('Analytics', 'h3'),
    surface.row(
      figure(surface, String(attendees), 'attendees'),
      figure(surface, `${Math.round(number(data, 'averageEngagementSec'))} s`, 'average engagement'),
      ...(questions === 0 ? [] : [figure(surface, String(questions), 'questions')]),
    ),
  ]
  const clicks = number(data, 'ctaClicks')
  if (clicks > 0) parts.push(surface.text(`${clicks} of ${attendees} took the offer, ${number(funnel, 'lead')} left details.`))
  parts.push(...slideParts(list(data, 'slides'), surface))
  const open = list(data, 'unanswered').slice(0, worstMax)
  if (open.length > 0)
    parts.push(surface.text('What the talk could not answer', 'h4'), ...open.map((each) => surface.text(text(each, 'text'))))
  const leads = number(data, 'leads') > 0 ? [surface.button('Export leads', toolAction('export_leads', { sessionId }), true)] : []
  return [...parts, surface.row(...leads, show())]
}

function figure(surface: Composer, value: string, label: string): string {
  return surface.column(surface.text(value, 'h2'), surface.text(label, 'caption'))
}

function slideParts(slides: readonly Data[], surface: Composer): string[] {
  if (slides.length === 0) return []
  if (slides.length <= barsMax) {
    const heading = surface.text('Seconds on each slide', 'h4')
    const most = Math.max(1, ...slides.map((slide) => number(slide, 'avgSeconds')))
    const bars = slides.map((slide) => {
      const seconds = number(slide, 'avgSeconds')
      return surface.text(`${number(slide, 'index') + 1} ${'█'.repeat(Math.round((seconds / most) * barWidth))} ${Math.round(seconds)} s`)
    })
    return [heading, ...bars]
  }
  const worst = slides
    .filter((slide) => number(slide, 'leftHere') > 0)
    .toSorted((a, b) => number(b, 'leftHere') - number(a, 'leftHere'))
    .slice(0, worstMax)
  if (worst.length === 0) return []
  const heading = surface.text('Where people leave', 'h4')
  return [heading, ...worst.map((slide) => surface.text(`Slide ${number(slide, 'index') + 1}: ${number(slide, 'leftHere')} left here`))]
}
