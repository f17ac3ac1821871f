// What a learning platform is told where the file is its course (SCORM 1.2, SCORM 2004): how far it is, when it is through, what was
// asked and answered, of polls and quizzes with what was right. Its functions are looked for in the windows around this one, as both standards say.
import type { EventData, RunEvent } from '@rostrum/contract/room'
import { webClock } from '../ui/clock.ts'

type Call = (...values: string[]) => string
type Api = Readonly<Record<string, unknown>>

export interface Course {
  /** The slide at which it was left, from 0; undefined where it begins, or was finished. */
  place: number | undefined
  /** What follows the run of a talk of so many slides. */
  hear(slides: number): (event: RunEvent) => void
}

const windowsMost = 10
/** Of a text, as SCORM 2004 takes it; of SCORM 1.2's 255 characters. */
const textMost = 250
/** Both standards. The first keeps how far somebody is in its own words alone. */
const standards = {
  '2004': {
    name: 'API_1484_11',
    calls: ['Initialize', 'GetValue', 'SetValue', 'Commit', 'Terminate'],
    status: 'cmi.completion_status',
    place: 'cmi.location',
    exit: 'cmi.exit',
    time: 'cmi.session_time',
    progress: 'cmi.progress_measure',
    asked: { type: 'long-fill-in', response: 'learner_response', text: 'description', wrong: 'incorrect', option: 'option-' },
  },
  '1.2': {
    name: 'API',
    calls: ['LMSInitialize', 'LMSGetValue', 'LMSSetValue', 'LMSCommit', 'LMSFinish'],
    status: 'cmi.core.lesson_status',
    place: 'cmi.core.lesson_location',
    exit: 'cmi.core.exit',
    time: 'cmi.core.session_time',
    progress: undefined,
    asked: { type: 'fill-in', response: 'student_response', text: undefined, wrong: 'wrong', option: '' },
  },
} as const

function findIn(start: Window | null, name: string): Api | undefined {
  let at: Window | null = start
  for (let count = 0; at !== null && count < windowsMost; count++) {
    try {
      const found: unknown = Reflect.get(at, name)
      if (typeof found === 'object' && found !== null) return found as Api
    } catch {
      // A window of another origin: nothing of ours is in it.
    }
    if (at.parent === at) return undefined
    at = at.parent
  }
  return undefined
}

/** Null: the file stands for itself. */
export function findCourse(from: Window = window): Course | null {
  for (const standard of Object.values(standards)) {
    const opener: unknown = from.opener
    const api = findIn(from, standard.name) ?? findIn(opener as Window | null, standard.name)
    if (api !== undefined) return courseOf(api, standard)
  }
  return null
}

/** `PT1H2M3S`, and the `hh:mm:ss` of the older standard. */
function timeOf(ms: number, isNew: boolean): string {
  const seconds = Math.round(ms / 1_000)
  if (isNew) return `PT${seconds}S`
  const parts = [Math.floor(seconds / 3_600), Math.floor(seconds / 60) % 60, seconds % 60]
  return parts.map((part) => String(part).padStart(2, '0')).join(':')
}

function courseOf(api: Api, standard: (typeof standards)[keyof typeof standards]): Course | null {
  const [begin, get, set, keep, end] = standard.calls.map(
    (name): Call =>
      (...values) =>
        String((api[name] as Call | undefined)?.call(api, ...values) ?? ''),
  ) as [Call, Call, Call, Call, Call]
  if (begin('') !== 'true') return null
  const isNew = standard.progress !== undefined
  const since = webClock.now()
  let isThrough = ['completed', 'passed'].includes(get(standard.status))
  let isOver = false
  let asked = Number(get('cmi.interactions._count')) || 0
  const seen = new Set(get('cmi.suspend_data').split(' ').filter(Boolean).map(Number))
  const found = get(standard.place)
  if (!isThrough) set(standard.status, 'incomplete')
  keep('')

  const finish = () => {
    if (isOver) return
    isOver = true
    set(standard.exit, isThrough ? (isNew ? 'normal' : '') : 'suspend')
    set(standard.time, timeOf(webClock.now() - since, isNew))
    keep('')
    end('')
  }
  addEventListener('pagehide', finish)

  const through = () => {
    isThrough = true
    set(standard.status, 'completed')
    if (standard.progress !== undefined) set(standard.progress, '1')
  }

  const { response, text, wrong, option } = standard.asked

  /** One more of what was asked, by its place. */
  function interaction(id: string, type: string, words: string): string {
    const at = `cmi.interactions.${asked++}`
    set(`${at}.id`, id)
    set(`${at}.type`, type)
    if (text !== undefined) set(`${at}.${text}`, words.slice(0, textMost))
    set(isNew ? `${at}.timestamp` : `${at}.time`, isNew ? new Date().toISOString().slice(0, 19) : new Date().toTimeString().slice(0, 8))
    return at
  }

  function answered(question: string, answer: string) {
    const at = interaction(`question-${asked + 1}`, standard.asked.type, answer)
    set(`${at}.${response}`, question.slice(0, textMost))
    set(`${at}.result`, 'neutral')
  }

  /** What of polls was told already: another answer, or what was right, is a change of the same. */
  const polls = new Map<string, { poll: EventData<'poll'>; at?: string; choice?: number | undefined }>()

  function polled({ pollId, choice, rating, word = '' }: EventData<'poll_answer'>) {
    const told = polls.get(pollId)
    if (told === undefined) return
    const { kind, question, options } = told.poll
    if ((choice ?? rating ?? word) === '') return
    const type = kind === 'words' ? 'fill-in' : kind === 'rating' ? 'likert' : 'choice'
    const given = kind === 'words' ? word : kind === 'rating' ? `${rating ?? ''}` : `${option}${choice ?? ''}`
    told.at ??= interaction(`poll-${pollId}`, type, [question, ...options].join(' | '))
    told.choice = choice
    set(`${told.at}.${response}`, given)
    marked(told)
  }

  function marked({ at, choice, poll: { right } }: { at?: string; choice?: number | undefined; poll: EventData<'poll'> }) {
    if (at === undefined) return
    if (right !== undefined) set(`${at}.correct_responses.0.pattern`, `${option}${right}`)
    set(`${at}.result`, right === undefined ? 'neutral' : right === choice ? 'correct' : wrong)
  }

  return {
    place: isThrough || !/^\d+$/.test(found) || found === '0' ? undefined : Number(found),
    hear(slides) {
      const questions = new Map<string, string>()
      return ({ type, data }) => {
        if (isOver) return
        if (type === 'slide') {
          seen.add(data.index)
          set(standard.place, String(data.index))
          set('cmi.suspend_data', [...seen].join(' '))
          if (standard.progress !== undefined && !isThrough) set(standard.progress, (seen.size / Math.max(1, slides)).toFixed(2))
        } else if (type === 'state' && (data.status === 'closing' || data.status === 'completed')) through()
        else if (type === 'poll') {
          const told = { ...polls.get(data.pollId), poll: data }
          polls.set(data.pollId, told)
          marked(told)
        } else if (type === 'poll_answer') polled(data)
        else if (type === 'question') questions.set(data.questionId, data.text)
        else if (type === 'answer' && data.phase === 'end') answered(questions.get(data.questionId ?? '') ?? '', data.text ?? '')
        else return
        keep('')
      }
    },
  }
}
