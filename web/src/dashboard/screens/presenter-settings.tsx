// Who is said to speak: a name and a portrait, shown as the room shows them. The word "automated" is always there.
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { showToast } from '../../ui/toast.tsx'
import { useForm } from '../../ui/use-form.ts'
import { monogram } from '../../room/monogram.ts'
import { call, upload, wordsOf } from '../api.ts'
import { filesForm } from '../file-field.tsx'
import { refusedForm } from '../form-errors.ts'
import { changeSession, refreshSession, sessionPath } from '../queries.ts'
import { FormFoot } from '../form-foot.tsx'
import type { SessionDetail } from '../wire.ts'

const bytesMax = 10 * 1024 * 1024

export function PresenterSettings({ session }: { session: SessionDetail }) {
  const [name, setName] = useState(session.presenterName ?? '')
  const isChanged = name !== (session.presenterName ?? '')
  const { errors, failure, busy, onSubmit } = useForm({
    async submit() {
      await changeSession(session.id, { presenterName: name.trim() || null }).catch((error: unknown) => refusedForm(error))
      showToast({ text: 'Presenter saved.' })
    },
  })
  return (
    <section class="section" aria-labelledby="presenter">
      <h2 id="presenter">Presenter</h2>
      <div class="presenter-settings">
        <figure class="presenter-preview" data-testid="presenter-preview">
          {session.presenterImageUrl !== undefined ? (
            <img src={session.presenterImageUrl} alt="" width={64} height={64} />
          ) : (
            <span aria-hidden="true">{monogram(name)}</span>
          )}
          <figcaption>
            {name.trim() !== '' && (
              <b>
                <bdi>{name.trim()}</bdi>
              </b>
            )}
            <span class="muted">{name.trim() === '' ? 'Automated presenter' : 'automated'}</span>
          </figcaption>
        </figure>
        <form class="form" noValidate onSubmit={onSubmit}>
          <TextField
            label="Name of the presenter"
            name="presenterName"
            value={name}
            maxLength={80}
            onInput={(event) => setName(event.currentTarget.value)}
            hint="Everybody in the room sees it, and beside it that the presenter is automated."
            error={errors['presenterName']}
          />
          <FormFoot isInPage failure={failure} busy={busy} act="Save presenter" isChanged={isChanged}>
            <Portrait session={session} />
          </FormFoot>
        </form>
      </div>
    </section>
  )
}

function Portrait({ session: { id, presenterImageUrl } }: { session: SessionDetail }) {
  const input = useRef<HTMLInputElement>(null)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const path = sessionPath(id, '/portrait')
  const act = async (done: () => Promise<unknown>, said: string) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await done()
      await refreshSession(id)
      showToast({ text: said })
    } catch (error) {
      setFailure(wordsOf(error))
    }
    setBusy(false)
  }
  const send = (file: File | undefined) => {
    if (file === undefined) return
    if (file.size > bytesMax) return setFailure('The limit is 10 MB.')
    void act(() => upload(path, filesForm([file]), () => {}), 'Portrait saved.')
  }
  return (
    <>
      <input
        ref={input}
        class="vh"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        aria-label="Portrait"
        tabIndex={-1}
        onChange={(event) => {
          send(event.currentTarget.files?.[0])
          event.currentTarget.value = ''
        }}
      />
      <Button kind="quiet" busy={busy} onClick={() => input.current?.click()}>
        {presenterImageUrl === undefined ? 'Add a portrait' : 'Replace the portrait'}
      </Button>
      {presenterImageUrl !== undefined && (
        <Button kind="quiet" busy={busy} onClick={() => void act(() => call('DELETE', path), 'Portrait removed.')}>
          Remove the portrait
        </Button>
      )}
      {failure !== undefined && (
        <p class="field-error" role="alert">
          {failure}
        </p>
      )}
    </>
  )
}
