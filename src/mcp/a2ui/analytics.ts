// Analytics as a surface: its parts follow from the figures. Nothing yet gives advice; without an offer there is no offer part; up
// to twelve slides are bars, more give the five that lose people.
import type { Data } from './data.ts'
import { list, number, object, text } from './data.ts'
import type { Arrangement, Part } from './part.ts'
import { part } from './part.ts'
import type { Composer } from './surface.ts'
import { toolAction } from './surface.ts'

const barsMax = 12
const worstMax = 5
const barWidth = 16

export function composeAnalytics(data: Data, surface: Composer): Arrangement {
  const sessionId = text(data, 'sessionId')
  const attendees = number(data, 'totalAttendees')
  const show = () => part('button', 'show-session', surface.button('Show the session', toolAction('get_session', { sessionId })))
  if (attendees === 0)
    return [
      part('text', 'nobody-yet', surface.text('Nobody has been here yet.', 'h3')),
      part('text', 'advice', surface.text('Share the link of the room, or rehearse first.')),
      show(),
    ]
  const funnel = object(data, 'funnel')
  const questions = number(data, 'questionsCount')
  const parts: (Part | Part[])[] = [
    part('heading', 'heading', surface.text('Analytics', 'h3')),
    [
      figure(surface, 'attendees', String(attendees), 'attendees'),
      figure(surface, 'engagement', `${Math.round(number(data, 'averageEngagementSec'))} s`, 'average engagement'),
      ...(questions === 0 ? [] : [figure(surface, 'questions', String(questions), 'questions')]),
    ],
  ]
  const clicks = number(data, 'ctaClicks')
  if (clicks > 0) {
    const words = `${clicks} of ${attendees} took the offer, ${number(funnel, 'lead')} left details.`
    parts.push(part('text', 'offer', surface.text(words)))
  }
  parts.push(...slideParts(list(data, 'slides'), surface))
  const open = list(data, 'unanswered').slice(0, worstMax)
  if (open.length > 0) {
    const heading = surface.text('What the talk could not answer', 'h4')
    const questionTexts = open.map((each) => surface.text(text(each, 'text')))
    parts.push(part('heading', 'unanswered-heading', heading), part('list', 'unanswered', ...questionTexts))
  }
  const exports = () => part('button', 'export-leads', surface.button('Export leads', toolAction('export_leads', { sessionId }), true))
  return [...parts, [...(number(data, 'leads') > 0 ? [exports()] : []), show()]]
}

function figure(surface: Composer, name: string, value: string, label: string): Part {
  return part('figure', name, surface.column(surface.text(value, 'h2'), surface.text(label, 'caption')))
}

function slideParts(slides: readonly Data[], surface: Composer): Part[] {
  if (slides.length === 0) return []
  if (slides.length <= barsMax) {
    const heading = surface.text('Seconds on each slide', 'h4')
    const most = Math.max(1, ...slides.map((slide) => number(slide, 'avgSeconds')))
    const bars = slides.map((slide) => {
      const seconds = number(slide, 'avgSeconds')
      return surface.text(`${number(slide, 'index') + 1} ${'█'.repeat(Math.round((seconds / most) * barWidth))} ${Math.round(seconds)} s`)
    })
    return [part('heading', 'slides-heading', heading), part('list', 'seconds-on-slides', ...bars)]
  }
  const worst = slides
    .filter((slide) => number(slide, 'leftHere') > 0)
    .toSorted((a, b) => number(b, 'leftHere') - number(a, 'leftHere'))
    .slice(0, worstMax)
  if (worst.length === 0) return []
  const heading = surface.text('Where people leave', 'h4')
  const lines = worst.map((slide) => surface.text(`Slide ${number(slide, 'index') + 1}: ${number(slide, 'leftHere')} left here`))
  return [part('heading', 'slides-heading', heading), part('list', 'where-people-leave', ...lines)]
}
