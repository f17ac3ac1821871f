// A new session: created at once, files uploaded with their progress, then on to the session itself.
import { useLocation } from 'preact-iso/router'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { call, upload, wordsOf } from '../data/api.ts'
import { sessionPath, sessionsPath } from '../data/queries.ts'
import { refresh } from '../data/use-query.ts'
import { decks, FileField, filesForm, titleFrom } from '../parts/file-field.tsx'
import { refusedForm } from '../parts/form-errors.ts'
import { PageHead } from '../parts/page.tsx'
import { languages } from './languages.ts'
import { passagesFrom, slidesFrom } from './pasted.ts'

export function NewSession() {
  const { route } = useLocation()
  const [files, setFiles] = useState<readonly File[]>([])
  const [isPasting, setPasting] = useState(false)
  const [progress, setProgress] = useState<number>()
  const form = useRef<HTMLFormElement>(null)
  const suggested = useRef('')
  /** A title that nobody typed follows the file. */
  const take = (chosen: readonly File[]) => {
    setFiles(chosen)
    const title = form.current?.elements.namedItem('title')
    if (title instanceof HTMLInputElement && title.value === suggested.current) title.value = suggested.current = titleFrom(chosen)
  }
  const { errors, failure, busy, onSubmit } = useForm({
    words: (field) => (field.name === 'title' && field.validity.valueMissing ? 'Give the talk a title.' : undefined),
    async submit(values) {
      const made = await call<{ sessionId: string }>('POST', sessionsPath, { body: bodyOf(values, isPasting) }).catch((error: unknown) =>
        refusedForm(error, { slides: 'pasted', knowledgeBase: 'knowledge' }),
      )
      void refresh('sessions')
      if (!isPasting && files.length > 0) {
        setProgress(0)
        // The session exists by now: a refused file is told on its page, where it can be sent again.
        await upload(sessionPath(made.sessionId, '/deck'), filesForm(files), setProgress).catch((error: unknown) => {
          showToast({ text: `The session is there, but not its slides: ${wordsOf(error)}`, lifeMs: 20_000 })
        })
      }
      route(`/dashboard/sessions/${made.sessionId}`)
    },
  })
  return (
    <>
      <PageHead
        title="New session"
        lead="It starts as a draft: nobody can open it before you publish it."
        above={
          <p class="crumb">
            <a href="/dashboard">Sessions</a>
          </p>
        }
      />
      <form ref={form} class="form new-session" noValidate onSubmit={onSubmit}>
        <TextField
          label="Title"
          name="title"
          required
          maxLength={200}
          autofocus
          hint={
            titleFrom(files) === ''
              ? undefined
              : 'From the name of the file. The title on the first slide takes its place; one that you write stays.'
          }
          error={errors['title']}
        />
        <TextArea
          label="Description"
          name="description"
          rows={2}
          maxLength={4000}
          hint="Shown before the talk starts."
          error={errors['description']}
        />
        <div class="pair">
          <Select
            label="Mode"
            name="mode"
            value="isolated"
            options={[
              { value: 'isolated', label: 'One on one: a talk for each person' },
              { value: 'broadcast', label: 'Broadcast: one talk for all' },
            ]}
            error={errors['mode']}
          />
          <Select
            label="Language"
            name="language"
            value=""
            options={[{ value: '', label: 'As in the slides' }, ...languages]}
            error={errors['language']}
          />
        </div>
        <Select
          label="Who finds it, once it is published"
          name="reach"
          value="link"
          options={[
            { value: 'link', label: 'Link only: whoever has the link' },
            { value: 'listed', label: 'Listed: also the front page, personal agents and search engines' },
          ]}
          error={errors['discoverable']}
        />
        {isPasting ? (
          <TextArea
            label="Text of the talk"
            name="pasted"
            rows={8}
            hint="A line with three dashes (---) starts the next one; the first line of each is its title."
            error={errors['pasted']}
          />
        ) : (
          <>
            <FileField kind={decks} files={files} onChange={take} />
            {files.length === 0 && (
              <TextField
                label="Or a link to the slides"
                name="pdfUrl"
                type="url"
                placeholder="https://"
                hint="To a PDF or a PowerPoint file that anybody can open."
                error={errors['pdfUrl']}
              />
            )}
          </>
        )}
        <p>
          <button type="button" class="btn-link" onClick={() => setPasting(!isPasting)}>
            {isPasting ? 'Upload a file instead' : 'Paste text instead'}
          </button>
        </p>
        <TextArea
          label="Knowledge"
          name="knowledge"
          rows={4}
          hint="What the presenter may quote in answers beside the deck: prices, policies, frequent questions. A blank line separates passages."
          error={errors['knowledge']}
        />
        <fieldset class="form">
          <legend>Offer at the end</legend>
          <div class="pair">
            <TextField label="CTA text" name="ctaText" maxLength={80} placeholder="Book a 20 min call" error={errors['ctaText']} />
            <TextField label="CTA link" name="ctaUrl" type="url" placeholder="https://" error={errors['ctaUrl']} />
          </div>
        </fieldset>
        {failure !== undefined && (
          <p class="note note-red" role="alert">
            {failure}
          </p>
        )}
        <div class="actions">
          <Button kind="primary" type="submit" busy={busy}>
            Create session
          </Button>
          {progress !== undefined && (
            <label class="upload-progress small">
              Uploading
              <progress max={1} value={progress} />
            </label>
          )}
        </div>
      </form>
    </>
  )
}

/** Members left empty are left out: the server's defaults hold. */
function bodyOf(values: Record<string, string>, isPasting: boolean): Record<string, unknown> {
  const { title, description, mode, language, ctaText, ctaUrl, reach, pdfUrl, pasted = '', knowledge = '' } = values
  const slides = isPasting ? slidesFrom(pasted) : []
  const passages = passagesFrom(knowledge)
  return {
    title,
    mode,
    // The server lists what says nothing of it.
    discoverable: reach === 'listed',
    ...(language ? { language } : {}),
    ...(description ? { description } : {}),
    ...(ctaText ? { ctaText } : {}),
    ...(ctaUrl ? { ctaUrl } : {}),
    ...(pdfUrl ? { pdfUrl } : {}),
    ...(slides.length > 0 ? { slides } : {}),
    ...(passages.length > 0 ? { knowledgeBase: passages } : {}),
  }
}
