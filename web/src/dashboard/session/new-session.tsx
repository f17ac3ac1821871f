// A new talk begins with its slides: dropped, fetched or pasted. The session is created at once and the host goes on to its set-up, where
// the pages appear as they are read.
import { useLocation } from 'preact-iso/router'
import { useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextArea, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import type { InputOf } from '../../../../client/operations.ts'
import { call, upload, wordsOf } from '../data/api.ts'
import { refresh } from '../data/use-query.ts'
import { decks, FileField, titleFrom } from '../parts/file-field.tsx'
import { refusedForm } from '../parts/form-errors.ts'
import { PageHead } from '../parts/page.tsx'
import { slidesFrom } from './pasted.ts'
import { SetUpSteps } from './set-up-steps.tsx'

/** Until the deck has told its own. */
const untitled = 'Untitled talk'

async function create(title: string, content: Omit<InputOf<'create_session'>, 'title'>): Promise<string> {
  const { sessionId } = await call('create_session', { title, mode: 'isolated', discoverable: false, ...content })
  void refresh('sessions')
  return sessionId
}
const setUpOf = (sessionId: string) => `/dashboard/sessions/${sessionId}/set-up`

/** A talk is made of what is dropped here. */
export function DropDeck() {
  const { route } = useLocation()
  const [progress, setProgress] = useState<number>()
  const [failure, setFailure] = useState<string>()
  const take = async (files: readonly File[]) => {
    if (files.length === 0 || progress !== undefined) return
    setProgress(0)
    setFailure(undefined)
    const title = titleFrom(files) || untitled
    try {
      const sessionId = await create(title, {})
      // The session exists by now: a refused file is told on its page, where it can be sent again.
      await upload('put_deck', { sessionId }, files, setProgress).catch((error: unknown) => {
        showToast({ text: `The session is there, but not its slides: ${wordsOf(error)}`, lifeMs: 20_000 })
      })
      route(setUpOf(sessionId))
    } catch (error) {
      setFailure(wordsOf(error))
      setProgress(undefined)
    }
  }
  return (
    <div class="drop-deck">
      <FileField kind={decks} files={[]} onChange={(files) => void take(files)} />
      {progress !== undefined && (
        <div class="upload-progress" role="status">
          Sending your slides
          <progress aria-label="Upload" max={1} value={progress} />
        </div>
      )}
      {failure !== undefined && (
        <p class="note note-red" role="alert">
          {failure}
        </p>
      )}
    </div>
  )
}

export function NewSession() {
  const { route } = useLocation()
  const [isPasting, setPasting] = useState(false)
  const written = useForm({
    words: (field) => (field.name === 'pasted' ? 'Paste what the talk is about.' : 'Give a link that starts with https://'),
    async submit({ pdfUrl, pasted = '' }) {
      const slides = slidesFrom(pasted)
      const title = isPasting ? (slides[0]?.title ?? untitled) : nameIn(pdfUrl) || untitled
      const made = await create(title, isPasting ? { slides } : { pdfUrl }).catch((error: unknown) =>
        refusedForm(error, { slides: 'pasted' }),
      )
      route(setUpOf(made))
    },
  })
  return (
    <>
      <PageHead
        title="New session"
        lead="Start with the slides. The title and the language come from them, and nobody sees the talk before you publish it."
        above={
          <p class="crumb">
            <a href="/dashboard">Sessions</a>
          </p>
        }
      />
      <SetUpSteps current={1} />
      <div class="new-session">
        <DropDeck />
        <form class="new-other" noValidate onSubmit={written.onSubmit}>
          {isPasting ? (
            <TextArea
              label="Text of the talk"
              name="pasted"
              rows={8}
              required
              autofocus
              hint="A line with three dashes (---) starts the next slide; the first line of each is its title."
              error={written.errors['pasted'] ?? written.failure}
            />
          ) : (
            <TextField
              label="Or a link"
              name="pdfUrl"
              type="url"
              required
              placeholder="https://"
              hint="To a PDF or a PowerPoint file that anybody can open."
              error={written.errors['pdfUrl'] ?? written.failure}
            />
          )}
          <div class="actions">
            <Button type="submit" busy={written.busy}>
              Create session
            </Button>
            <button type="button" class="btn-link" onClick={() => setPasting(!isPasting)}>
              {isPasting ? 'Use a file or a link instead' : 'Paste text instead'}
            </button>
          </div>
        </form>
      </div>
    </>
  )
}

/** What a linked file is called. */
function nameIn(url = ''): string {
  const last = URL.parse(url)?.pathname.split('/').at(-1) ?? ''
  return titleFrom([new File([], decodeURIComponent(last))])
}
