// Who is said to speak: a name and a portrait, shown as the room shows them. The word "automated" is always there. And how it sounds: a
// voice, how words are said, and a sentence of the own deck to hear it.
import { UserRound } from 'lucide'
import { useState } from 'preact/hooks'
import { pronouncing } from '@rostrum/contract/spoken'
import { monogram } from '../../room/stage/monogram.ts'
import { Button } from '../../ui/button.tsx'
import { Select, TextArea, TextField } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { showToast } from '../../ui/toast.tsx'
import { FieldsRefused, useForm } from '../../ui/use-form.ts'
import { call, upload } from '../data/api.ts'
import { changeSession, refreshSession, scriptQuery, voicesQuery } from '../data/queries.ts'
import { useBusy } from '../data/undoable.ts'
import { useQuery } from '../data/use-query.ts'
import type { SessionChange, SessionDetail } from '../data/wire.ts'
import { FileButton } from '../parts/file-field.tsx'
import { refusedForm } from '../parts/form-errors.ts'
import { FormFoot } from '../parts/form-foot.tsx'
import { type By, useHearing } from '../script/use-hearing.ts'

export function PresenterForm({ session }: { session: SessionDetail }) {
  const [name, setName] = useState(session.presenterName ?? '')
  const [voice, setVoice] = useState(session.voice ?? '')
  const [words, setWords] = useState(linesOf(session.pronunciations))
  const change: SessionChange = {
    ...(name !== (session.presenterName ?? '') && { presenterName: name.trim() || null }),
    ...(voice !== (session.voice ?? '') && { voice: voice.trim() || null }),
    ...(words !== linesOf(session.pronunciations) && { pronunciations: pronunciationsIn(words) }),
  }
  const isChanged = Object.keys(change).length > 0
  const { errors, failure, busy, onSubmit } = useForm({
    async submit() {
      const wrong = words.split('\n').findIndex((line) => line.trim() !== '' && pairIn(line).includes(''))
      if (wrong !== -1) throw new FieldsRefused('', { pronunciations: `Line ${wrong + 1}: write the word, =, and how it is said.` })
      await changeSession(session.id, change).catch((error: unknown) => refusedForm(error))
      if (change.pronunciations !== undefined) setWords(linesOf(change.pronunciations ?? undefined))
      showToast({ text: 'Presenter saved.' })
    },
  })
  return (
    <div class="presenter-settings">
      <figure class="presenter-preview" data-testid="presenter-preview">
        {session.presenterImageUrl !== undefined ? (
          <img class="portrait" src={session.presenterImageUrl} alt="" width={64} height={64} />
        ) : (
          <span class="portrait" aria-hidden="true">
            {name.trim() === '' ? <Icon of={UserRound} /> : monogram(name)}
          </span>
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
        <VoiceField session={session} value={voice} onValue={setVoice} error={errors['voice']} />
        <HearVoice session={session} voice={voice.trim() || null} />
        <TextArea
          label="How words are said"
          name="pronunciations"
          rows={3}
          value={words}
          onInput={(event) => setWords(event.currentTarget.value)}
          placeholder="kubectl = cube control"
          hint="One word a line. The voice says it so; captions keep the word. In small letters it stands for every spelling, with capitals for itself alone."
          error={errors['pronunciations']}
        />
        <FormFoot isInPage failure={failure} busy={busy} act="Save presenter" isChanged={isChanged}>
          <Portrait session={session} />
        </FormFoot>
      </form>
    </div>
  )
}

const linesOf = (list: SessionDetail['pronunciations'] = {}): string =>
  Object.entries(list)
    .map(([word, said]) => `${word} = ${said}`)
    .join('\n')

function pairIn(line: string): [word: string, said: string] {
  const [word = '', ...said] = line.split('=')
  return [word.trim(), said.join('=').trim()]
}

function pronunciationsIn(lines: string): Record<string, string> | null {
  const pairs = lines.split('\n').flatMap((line) => (line.trim() === '' ? [] : [pairIn(line)]))
  return pairs.length === 0 ? null : Object.fromEntries(pairs)
}

interface VoiceFieldProps {
  session: SessionDetail
  value: string
  onValue: (voice: string) => void
  error: string | undefined
}

/** A choice where the server tells its voices, else a name to type; nothing where it has none. */
function VoiceField({ session, value, onValue, error }: VoiceFieldProps) {
  const { voice, voices } = useQuery(voicesQuery(session.id)).data ?? { voice: null, voices: [] }
  const common = { label: 'Voice', name: 'voice', value, error }
  if (voices.length === 0) {
    const hint = "The name of a voice of the server's speech service. Empty: the one of this service."
    return <TextField {...common} maxLength={200} onInput={(event) => onValue(event.currentTarget.value)} hint={hint} />
  }
  const others = [...new Set([...voices, ...(value === '' ? [] : [value])])].map((name) => ({ value: name, label: name }))
  const options = [{ value: '', label: `That of this service: ${voice}` }, ...others]
  return <Select {...common} options={options} onChange={(event) => onValue(event.currentTarget.value)} hint="Hear each before you save." />
}

/** A sentence of the own deck in the voice that is chosen, with the words as they were saved. */
function HearVoice({ session, voice }: { session: SessionDetail; voice: string | null }) {
  const script = useQuery({ ...scriptQuery(session.id), enabled: session.deckState === 'ready' })
  const { now, by, hear, stop } = useHearing(session)
  const beats = script.data?.beats.filter(({ text }) => text !== '') ?? []
  const saidAs = pronouncing(session.pronunciations ?? {})
  const beat = beats.find(({ text }) => saidAs(text).text !== text) ?? beats.find(({ kind }) => kind === 'narration') ?? beats[0]
  if (beat === undefined)
    return session.deckState === 'none' ? <p class="small muted">The voice can be heard here once there are slides.</p> : null
  const { beatId, text, estMs } = beat
  return (
    <div class="actions">
      <Button onClick={() => (now === null ? hear(session.id, [{ beatId, text, estMs, voice }]) : stop())}>
        {now === null ? 'Hear the voice' : 'Stop'}
      </Button>
      <span class="small muted" role="status">
        {by === undefined ? '' : saidBy(by, text)}
      </span>
    </div>
  )
}

function saidBy(by: By, text: string): string {
  if (by.from === 'server') return `${by.name}, a voice of the server: “${text}”`
  const why = by.server === 'failed' ? 'The voice of the server did not answer.' : 'The server has no voice.'
  if (by.name === null) return `${why} This device has none for the language of the talk: captions alone.`
  return `${why} ${by.name}, a voice of this device: “${text}” Each listener hears that of their own device.`
}

function Portrait({ session: { id, presenterImageUrl } }: { session: SessionDetail }) {
  const [busy, run] = useBusy()
  const act = async (done: Promise<unknown>, said: string) => {
    await done
    await refreshSession(id)
    showToast({ text: said })
  }
  return (
    <>
      <FileButton
        label="Portrait"
        accept="image/png,image/jpeg,image/webp"
        bytesMax={10 * 1024 * 1024}
        kind="quiet"
        busy={busy}
        onFile={(file) => void run(act(upload('put_portrait', { sessionId: id }, [file]), 'Portrait saved.'))}
      >
        {presenterImageUrl === undefined ? 'Add a portrait' : 'Replace the portrait'}
      </FileButton>
      {presenterImageUrl !== undefined && (
        <Button kind="quiet" busy={busy} onClick={() => void run(act(call('delete_portrait', { sessionId: id }), 'Portrait removed.'))}>
          Remove the portrait
        </Button>
      )}
    </>
  )
}
