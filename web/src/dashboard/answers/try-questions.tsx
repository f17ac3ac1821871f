// Questions put to the presenter before anybody comes: five that are made from the slides, then the host's own. Nothing of it is kept.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call } from '../data/api.ts'
import { deckQuery, tryQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Tried } from '../data/wire.ts'
import { Failed, Skeleton } from '../parts/loaded.tsx'
import { AddToKnowledge } from './knowledge.tsx'
import { needsKnowledge, outcomeWords } from './question-words.ts'

export function TryQuestions({ id }: { id: string }) {
  const isReady = useQuery(deckQuery(id)).data?.state === 'ready'
  const made = useQuery({ ...tryQuery(id), enabled: isReady })
  const [own, setOwn] = useState<Tried['answers']>([])
  const { busy, failure, onSubmit } = useForm({
    async submit({ question = '' }, form) {
      const { answers } = await call('try_session', { sessionId: id, questions: [question] })
      setOwn([...answers, ...own])
      form.reset()
    },
    words: () => 'Ask something.',
  })
  return (
    <section class="try" aria-label="Try questions">
      <form class="try-own" noValidate onSubmit={onSubmit}>
        <TextField label="Ask it something" name="question" required maxLength={4000} error={failure} />
        <Button type="submit" busy={busy} idle={!isReady}>
          Ask
        </Button>
      </form>
      {!isReady && <p class="small muted">Questions can be tried as soon as the slides are read.</p>}
      {made.error !== null && <Failed error={made.error} onRetry={() => void made.refetch()} />}
      {isReady && made.data === undefined && made.error === null && <Skeleton rows={5} />}
      <ol class="tried" aria-live="polite">
        {[...own, ...(made.data?.answers ?? [])].map(({ question, answer, outcome, citations }) => (
          <li key={question}>
            <p>
              <b>{question}</b>
            </p>
            <p>{answer}</p>
            <p class="small muted">
              {outcomeWords[outcome]}
              {citations[0]?.type === 'slide' && ` From slide ${citations[0].index + 1}.`}
            </p>
            {needsKnowledge(outcome) && <AddToKnowledge sessionId={id} question={question} />}
          </li>
        ))}
      </ol>
    </section>
  )
}
