// The talk in a language of its listeners: how far it is, what the check found, and each sentence to be put right.
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Select, TextArea } from '../../ui/field.tsx'
import { useForm } from '../../ui/use-form.ts'
import { correctTranslation } from '../deck/deck-acts.ts'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { Loaded } from '../parts/loaded.tsx'
import { translationsQuery } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import { refresh, useQuery } from '../data/use-query.ts'
import type { SessionDetail, Translations } from '../data/wire.ts'

type Sentence = Translations['sentences'][number]

const nameOf = (language: string) => new Intl.DisplayNames('en', { type: 'language' }).of(language) ?? language

const whyWords: Record<NonNullable<Sentence['why']>, string> = {
  missing: 'the model left it out',
  length: 'the model wrote far too much',
  figures: 'figures did not come through',
  names: 'names did not come through',
}

export function TranslationsDialog({ session, onClose }: { session: SessionDetail; onClose: () => void }) {
  const { id } = session
  const offered = session.listenerLanguages.filter((each) => each !== session.language)
  const [language, setLanguage] = useState(offered[0] ?? '')
  const [onlyOpen, setOnlyOpen] = useState(false)
  const [edited, setEdited] = useState<string | null>(null)
  const query = useQuery(translationsQuery(id, language))
  const put = async (original: string, text: string | null) => {
    await correctTranslation(id, language, original, text)
    await refresh('session', id, 'translations')
  }
  return (
    <Dialog open title="Translations" closeLabel="Close" onClose={onClose} wide>
      <Select
        label="Language"
        name="translation"
        value={language}
        options={offered.map((value) => ({ value, label: nameOf(value) }))}
        onChange={(event) => setLanguage(event.currentTarget.value)}
      />
      <Loaded query={query} rows={6}>
        {({ sentences, stale, hasModel }) => {
          const rows = onlyOpen ? sentences.filter(({ state }) => state === 'failed' || state === 'waiting') : sentences
          return (
            <>
              <div class="script-head-row">
                <p class="small muted" role="status">
                  {progressWords(sentences, hasModel)}
                </p>
                <span class="actions">
                  <Button kind="quiet" dense aria-pressed={onlyOpen} onClick={() => setOnlyOpen(!onlyOpen)}>
                    {onlyOpen ? 'Show all' : 'Show what is open'}
                  </Button>
                  <Button kind="quiet" dense onClick={() => void refresh('session', id, 'translations')}>
                    Look again
                  </Button>
                </span>
              </div>
              {stale.length > 0 && (
                <section class="note note-amber small" aria-label="Corrections of what is no longer said">
                  <p>Corrected, and no longer said:</p>
                  <ul class="queue">
                    {stale.map(({ original, text }) => (
                      <li key={original} class="queue-item">
                        <p dir="auto">
                          <del>{original}</del>
                        </p>
                        <p lang={language} dir="auto">
                          {text}
                        </p>
                        <div class="actions">
                          <Button dense aria-label={`Forget: ${original}`} onClick={() => void orToast(put(original, null))}>
                            Forget it
                          </Button>
                        </div>
                      </li>
                    ))}
                  </ul>
                </section>
              )}
              {rows.length === 0 && <p class="muted">Nothing is open.</p>}
              <ol class="queue">
                {rows.map((sentence) => (
                  <li key={sentence.original} class="queue-item" data-testid="translation">
                    <p class="small muted">{placeWords(sentence)}</p>
                    <p dir="auto">{sentence.original}</p>
                    {edited === sentence.original ? (
                      <Correction
                        sentence={sentence}
                        language={language}
                        onSave={async (text) => {
                          await put(sentence.original, text)
                          setEdited(null)
                        }}
                        onCancel={() => setEdited(null)}
                      />
                    ) : (
                      <>
                        {sentence.text !== null && (
                          <p class="queue-text" lang={language} dir="auto">
                            {sentence.text}
                          </p>
                        )}
                        <div class="actions">
                          <Button
                            kind="quiet"
                            dense
                            aria-label={`Correct the translation of: ${sentence.original}`}
                            onClick={() => setEdited(sentence.original)}
                          >
                            {sentence.text === null ? 'Translate it' : 'Correct'}
                          </Button>
                          {(sentence.state === 'corrected' || (sentence.state === 'failed' && hasModel)) && (
                            <Button
                              kind="quiet"
                              dense
                              aria-label={`Have the model translate: ${sentence.original}`}
                              onClick={() => void orToast(put(sentence.original, null))}
                            >
                              {sentence.state === 'corrected' ? 'Take back' : 'Try again'}
                            </Button>
                          )}
                        </div>
                      </>
                    )}
                  </li>
                ))}
              </ol>
            </>
          )
        }}
      </Loaded>
    </Dialog>
  )
}

function progressWords(sentences: readonly Sentence[], hasModel: boolean): string {
  const count = (state: Sentence['state']) => sentences.filter((each) => each.state === state).length
  const [corrected, failed, waiting] = [count('corrected'), count('failed'), count('waiting')]
  return [
    `${sentences.length - failed - waiting} of ${sentences.length} translated`,
    ...(corrected > 0 ? [`${corrected} by you`] : []),
    ...(failed > 0 ? [`${failed} shown as said`] : []),
    ...(waiting > 0 ? [`${waiting} ${hasModel ? 'to come' : 'left: the server has no model'}`] : []),
  ].join(', ')
}

function placeWords({ kind, slideIndex, state, why }: Sentence): string {
  const kinds = { title: 'title', sentence: 'said', option: 'option of a poll' }
  const place = slideIndex === null ? 'Title of the talk' : `Slide ${slideIndex + 1}, ${kinds[kind]}`
  if (state === 'failed') return `${place}. Shown as said: ${why === undefined ? 'it could not be checked' : whyWords[why]}.`
  return { waiting: `${place}. Not translated yet.`, corrected: `${place}. Your words.`, translated: place }[state]
}

interface CorrectionProps {
  sentence: Sentence
  language: string
  onSave(text: string): Promise<void>
  onCancel(): void
}

function Correction({ sentence, language, onSave, onCancel }: CorrectionProps) {
  const { errors, failure, busy, onSubmit } = useForm({
    submit: ({ text = '' }) => onSave(text).catch((error: unknown) => refusedForm(error)),
  })
  return (
    <form class="form" noValidate onSubmit={onSubmit}>
      <TextArea
        label={`In ${nameOf(language)}`}
        name="text"
        required
        rows={2}
        maxLength={1_000}
        lang={language}
        defaultValue={sentence.text ?? ''}
        error={errors['text']}
      />
      <FormFoot failure={failure} busy={busy} act="Save">
        <Button kind="quiet" onClick={onCancel}>
          Cancel
        </Button>
      </FormFoot>
    </form>
  )
}
