// Background the presenter may quote, and the questions that still need it.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Empty } from '../../ui/empty.tsx'
import { analyticsQuery, knowledgeQuery, questionsQuery } from '../data/queries.ts'
import { useQuery } from '../data/use-query.ts'
import type { Analytics, Passage } from '../data/wire.ts'
import { plural } from '../parts/format.ts'
import { Loaded } from '../parts/loaded.tsx'
import { useReturnedFocus } from '../parts/returned-focus.ts'
import { OpenButton, type OpenButtonProps } from '../parts/open-button.tsx'
import { SessionFrame } from '../session/session-frame.tsx'
import { addPassage, changePassage, deletePassage, refreshKnowledge } from './knowledge-acts.ts'
import { KnowledgeFiles } from './knowledge-files.tsx'
import { PassageForm } from './passage-form.tsx'
import { askedWords } from './question-words.ts'

export function Knowledge({ id }: { id: string }) {
  const add = (onClose: () => void) => (
    <Dialog open title="Add passage" closeLabel="Close" onClose={onClose}>
      <PassageForm act="Add passage" onSave={(passage) => addPassage(id, passage)} onClose={onClose} />
    </Dialog>
  )
  const passages = useQuery(knowledgeQuery(id))
  return (
    <SessionFrame
      id={id}
      tab="Background"
      actions={() => (
        <>
          <OpenButton opens={(onClose) => <KnowledgeFiles id={id} onClose={onClose} />}>Add from files</OpenButton>
          <OpenButton kind={passages.data?.length === 0 ? 'plain' : 'primary'} opens={add}>
            Add passage
          </OpenButton>
        </>
      )}
    >
      {() => (
        <>
          <div class="knowledge">
            <section aria-labelledby="passages">
              <h2 id="passages">Passages</h2>
              <Loaded query={passages}>{(all) => <PassageList sessionId={id} passages={all} add={add} />}</Loaded>
            </section>
            <Unanswered sessionId={id} />
          </div>
        </>
      )}
    </SessionFrame>
  )
}

function PassageList({ sessionId, passages, add }: { sessionId: string; passages: readonly Passage[]; add: OpenButtonProps['opens'] }) {
  const cited = useCitations(sessionId)
  if (passages.length === 0) {
    return (
      <Empty
        title="Nothing beside the deck yet"
        text="Prices, policies and frequent questions are good first passages: people in the room get them quoted as answers."
        example={['What does a pilot cost?', '12,000 euros for three months', 'Quoted 4 times']}
      >
        <OpenButton kind="primary" opens={add}>
          Add the first passage
        </OpenButton>
      </Empty>
    )
  }
  return (
    <ul class="passages">
      {passages.map((passage) => (
        <PassageRow key={passage.id} sessionId={sessionId} passage={passage} cited={cited.get(passage.id) ?? 0} />
      ))}
    </ul>
  )
}

/** How often each passage was quoted, counted from the answers. */
function useCitations(sessionId: string): ReadonlyMap<string, number> {
  const questions = useQuery(questionsQuery(sessionId)).data?.rows ?? []
  const counted = new Map<string, number>()
  for (const { citations = [] } of questions) {
    for (const { type, id } of citations) if (type === 'knowledge') counted.set(id, (counted.get(id) ?? 0) + 1)
  }
  return counted
}

function PassageRow({ sessionId, passage, cited }: { sessionId: string; passage: Passage; cited: number }) {
  const [isEditing, setEditing] = useState(false)
  const edit = useReturnedFocus(isEditing)
  if (isEditing) {
    return (
      <li class="passage">
        <PassageForm
          passage={passage}
          act="Save passage"
          onSave={(change) => changePassage(sessionId, passage.id, change)}
          onClose={() => {
            setEditing(false)
            void refreshKnowledge(sessionId)
          }}
        />
      </li>
    )
  }
  const name = passage.title || passage.content.slice(0, 60)
  return (
    <li class="passage">
      <div class="passage-body">
        {passage.title && <h3>{passage.title}</h3>}
        <p class="passage-text">{passage.content}</p>
        <p class="small muted">{cited === 0 ? 'Not quoted yet' : `Quoted ${plural(cited, 'time')}`}</p>
      </div>
      <div class="actions">
        <Button kind="quiet" dense buttonRef={edit} aria-label={`Edit: ${name}`} onClick={() => setEditing(true)}>
          Edit
        </Button>
        <Button kind="quiet" dense aria-label={`Delete: ${name}`} onClick={() => void deletePassage(sessionId, passage)}>
          Delete
        </Button>
      </div>
    </li>
  )
}

function Unanswered({ sessionId }: { sessionId: string }) {
  const analytics = useQuery(analyticsQuery(sessionId))
  const unanswered = analytics.data?.unanswered ?? []
  return (
    <section class="knowledge-side" aria-labelledby="unanswered">
      <h2 id="unanswered">Unanswered</h2>
      {analytics.data !== undefined && unanswered.length === 0 && <p class="muted">Nothing that was asked so far needs more background.</p>}
      <UnansweredList sessionId={sessionId} questions={unanswered} />
    </section>
  )
}

interface UnansweredListProps {
  sessionId: string
  questions: NonNullable<Analytics['unanswered']>
  wide?: boolean
}

/** What the talk did not answer, each with the way to answer it. */
export function UnansweredList({ sessionId, questions, wide = false }: UnansweredListProps) {
  return (
    <ul class={wide ? 'unanswered unanswered-wide' : 'unanswered'}>
      {questions.map((question) => (
        <li key={question.text}>
          <p>
            <bdi>{question.text}</bdi>
          </p>
          <p class="small muted">{askedWords(question)}</p>
          <AddToKnowledge sessionId={sessionId} question={question.text} />
        </li>
      ))}
    </ul>
  )
}

/** Opens a passage headed by the question, so that only the answer is left to write. */
export function AddToKnowledge({ sessionId, question, isAsked = false }: { sessionId: string; question: string; isAsked?: boolean }) {
  return (
    <OpenButton
      dense
      isOpen={isAsked}
      opens={(onClose) => (
        <Dialog open title="Add to background" closeLabel="Close" onClose={onClose}>
          <PassageForm
            act="Add to background"
            passage={{ title: question.slice(0, 200), content: '' }}
            onSave={(passage) => addPassage(sessionId, passage)}
            onClose={onClose}
          />
        </Dialog>
      )}
    >
      Add to background
    </OpenButton>
  )
}
