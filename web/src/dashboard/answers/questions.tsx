// Every question of a session with its answer, its sources and why; those without an answer first.
import { useLocation } from 'preact-iso/router'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/empty.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { showToast } from '../../ui/toast.tsx'
import { questionsQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { AskedQuestion, Citation } from '../data/wire.ts'
import { csvFrom } from '../parts/csv.ts'
import { Loaded } from '../parts/loaded.tsx'
import { Older } from '../parts/older.tsx'
import { fileName, saveFile } from '../parts/save-file.ts'
import { SearchField } from '../parts/search-field.tsx'
import { Time } from '../parts/time.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import { AnswerTrace } from './answer-trace.tsx'
import { addPassage } from './knowledge-acts.ts'
import { AddToKnowledge } from './knowledge.tsx'
import { isUnanswered, needsKnowledge, outcomeWords, questionWords, withLeaders } from './question-words.ts'

const filters = {
  all: { label: 'All', holds: () => true },
  open: { label: 'Unanswered', holds: isUnanswered },
  answered: { label: 'Answered', holds: ({ outcome }: AskedQuestion) => outcome === 'answered' || outcome === 'handoff' },
} as const

type Filter = keyof typeof filters
const isFilter = (text: string | undefined): text is Filter => text !== undefined && text in filters

export function Questions({ id }: { id: string }) {
  const { query, route } = useLocation()
  const questions = useQuery(questionsQuery(id))
  const filter: Filter = isFilter(query['show']) ? query['show'] : 'all'
  const search = (query['q'] ?? '').toLowerCase()
  const href = (show: Filter, q: string) => {
    const params = new URLSearchParams({ ...(show === 'all' ? {} : { show }), ...(q === '' ? {} : { q }) }).toString()
    return `/dashboard/sessions/${id}/questions${params === '' ? '' : `?${params}`}`
  }
  const asked = withLeaders(questions.data?.rows ?? [])
  const shown = asked
    .filter(filters[filter].holds)
    .filter(({ text, answer }) => `${text} ${answer ?? ''}`.toLowerCase().includes(search))
    .toSorted((a, b) => Number(filters.open.holds(b)) - Number(filters.open.holds(a)) || Date.parse(b.askedAt) - Date.parse(a.askedAt))
  return (
    <SessionFrame
      id={id}
      tab="Questions"
      actions={({ title }) => (
        <Button disabled={shown.length === 0} onClick={() => saveFile(fileName(title, 'questions.csv'), asCsv(shown), 'text/csv')}>
          Export CSV
        </Button>
      )}
    >
      {() => (
        <Loaded query={questions} rows={6}>
          {(list) =>
            list.rows.length === 0 ? (
              <Empty
                title="No questions yet"
                text="What people ask in the room, or through a personal agent, is collected here with the answer they got."
                example={['What does a pilot cost?', 'Asked 3 times', 'Answered from slide 6']}
              />
            ) : (
              <>
                <div class="list-bar">
                  <Tabs
                    label="Filter"
                    items={(Object.keys(filters) as Filter[]).map((show) => ({
                      href: href(show, query['q'] ?? ''),
                      label: filters[show].label,
                      current: show === filter,
                      count: asked.filter(filters[show].holds).length,
                    }))}
                  />
                  <SearchField label="Search questions" value={query['q'] ?? ''} onChange={(q) => route(href(filter, q), true)} />
                </div>
                {shown.length === 0 && <p class="muted empty">No question matches.</p>}
                <ol class="questions">
                  {shown.map((question) => (
                    <QuestionItem key={question.questionId} sessionId={id} question={question} />
                  ))}
                </ol>
                <Older list={list} what="questions" query={questionsQuery(id)} />
              </>
            )
          }
        </Loaded>
      )}
    </SessionFrame>
  )
}

function QuestionItem({ sessionId, question }: { sessionId: string; question: ReturnType<typeof withLeaders>[number] }) {
  const { query } = useLocation()
  const { outcome } = question
  const citations = (question.citations ?? []).filter(({ id }, at, all) => all.findIndex((other) => other.id === id) === at)
  return (
    <li class="question" data-testid="question" data-status={question.status}>
      <div class="question-body">
        <p class="question-text">
          <bdi>{question.text}</bdi>
        </p>
        {question.answer && (
          <p class="question-answer" data-testid="answer">
            {question.answer}
          </p>
        )}
        {citations.length > 0 && (
          <p class="actions">
            {citations.map((citation) => (
              <Source key={`${citation.n} ${citation.id}`} sessionId={sessionId} citation={citation} />
            ))}
          </p>
        )}
        <p class="small muted">
          <bdi>{question.by.name ?? 'Someone'}</bdi>, <Time at={question.askedAt} />
          {question.slideIndex === undefined ? ', through a personal agent' : `, on slide ${question.slideIndex + 1}`}.{' '}
          {question.mode === 'human' ? 'You answered it.' : outcome ? outcomeWords[outcome] : `${questionWords[question.status]}.`}
          {question.joinedWith !== undefined && (
            <>
              {' Joined with '}
              <bdi>{`“${question.joinedWith}”`}</bdi>.
            </>
          )}
        </p>
        {question.trace && <AnswerTrace trace={question.trace} />}
      </div>
      {question.mergedInto === undefined && (needsKnowledge(outcome) || question.status === 'expired') && (
        <AddToKnowledge sessionId={sessionId} question={question.text} isAsked={query['answer'] === question.questionId} />
      )}
      {question.mode === 'human' && question.answer && (
        <KeepAnswer sessionId={sessionId} question={question.text} answer={question.answer} />
      )}
    </li>
  )
}

/** What the host said is written already: one press makes it a passage. */
function KeepAnswer({ sessionId, question, answer }: { sessionId: string; question: string; answer: string }) {
  const keep = () => addPassage(sessionId, { title: question.slice(0, 200), content: answer })
  return (
    <Button
      dense
      aria-label={`Add to background: ${question}`}
      onClick={() => void orToast(keep().then(() => showToast({ text: 'Added to the background.' })))}
    >
      Add to background
    </Button>
  )
}

export function Source({ sessionId, citation }: { sessionId: string; citation: Citation }) {
  const isSlide = citation.type === 'slide'
  return (
    <a
      class="chip"
      data-testid="citation"
      href={isSlide ? `/dashboard/sessions/${sessionId}/slides?slide=${citation.index + 1}` : `/dashboard/sessions/${sessionId}/knowledge`}
      title={citation.quote}
    >
      {isSlide ? `Slide ${citation.index + 1}` : citation.title || `Passage ${citation.index + 1}`}
    </a>
  )
}

function asCsv(questions: readonly AskedQuestion[]): string {
  return csvFrom(
    ['question', 'answer', 'outcome', 'status', 'slide', 'asked_by', 'asked_at', 'votes', 'source'],
    questions.map(({ text, answer, outcome, status, slideIndex, by, askedAt, votes, source }) => [
      text,
      answer ?? '',
      outcome ?? '',
      status,
      slideIndex === undefined ? '' : slideIndex + 1,
      by.name ?? '',
      askedAt,
      votes,
      source,
    ]),
  )
}
