// Before joining: the first slide, who will speak, and two ways to start. Opening the page writes nothing on the server.
import { useEffect, useRef } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { ShownSlide, SlideWords } from './stage/stage.tsx'
import { languageName, timeWords, useRoom } from './use-room.ts'

export function Door() {
  const { boot, t, view, controller } = useRoom()
  const { room } = boot
  const { voice } = view
  const { name: presenter } = room.presenter ?? {}
  const seconds = room.slideSeconds.reduce((sum, each) => sum + each, 0)
  const name = useRef<HTMLInputElement>(null)
  const start = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    if (view.joinError !== null) start.current?.focus()
  }, [])
  const join = (sound: boolean) => void controller?.join({ sound, name: name.current?.value ?? '' })
  return (
    <>
      <section class="door-stage" aria-label={t('slide.stage')}>
        <ShownSlide />
        <SlideWords />
      </section>
      <section class="door" aria-label={t('door.sound')}>
        <div class="door-words">
          <p class="door-disclosure">{presenter ? t('door.disclosure_named', { name: presenter }) : t('door.disclosure')}</p>
          {room.description && (
            <p class="muted door-description">
              <bdi>{room.description}</bdi>
            </p>
          )}
          <p class="muted small tabular">{t('door.minutes', { count: room.slides.length, n: Math.max(1, Math.round(seconds / 60)) })}</p>
          {/* The server does not know the time zone of who reads; the line is kept free for it. */}
          {room.state === 'scheduled' && room.startsAt && (
            <p class="door-starts">{controller ? t('lobby.at', { time: timeWords(boot, new Date(room.startsAt)) }) : '\u00a0'}</p>
          )}
        </div>
        <form
          class="door-form"
          onSubmit={(event) => {
            event.preventDefault()
            join(Boolean(voice))
          }}
        >
          {view.back === null ? (
            <>
              {!boot.isKept && (
                <div class="field">
                  <label for="name">{t('door.name')}</label>
                  <input
                    ref={name}
                    id="name"
                    class="input"
                    name="name"
                    maxLength={200}
                    defaultValue={view.room.name ?? room.guestName ?? ''}
                    autocomplete="given-name"
                    aria-describedby="name-hint"
                  />
                  <p id="name-hint" class="field-hint">
                    {t('door.name_hint')}
                  </p>
                </div>
              )}
              {!boot.isKept && <Follow />}
              <div class="door-buttons">
                <Button type="submit" kind="primary" buttonRef={start}>
                  {t(voice ? 'door.sound' : 'door.captions')}
                </Button>
                {voice && <Button onClick={() => join(false)}>{t('door.captions')}</Button>}
                <p class="field-hint" data-testid="door-voice">
                  {voice === undefined
                    ? ''
                    : voice === null
                      ? t('door.no_voice')
                      : voice.from === 'server'
                        ? !boot.isKept && t('door.voice_server')
                        : t('door.voice', { name: voice.name })}
                </p>
              </div>
            </>
          ) : (
            <Back slide={view.back + 1} />
          )}
          {view.joinError !== null && (
            <p class="field-error" role="alert">
              {view.joinError === '' ? t('door.failed') : t('door.refused', { detail: view.joinError })}
            </p>
          )}
        </form>
      </section>
    </>
  )
}

/** In which language the words are shown, where there are several. */
function Follow() {
  const { boot, t, view, controller } = useRoom()
  const offered = boot.room.listenerLanguages ?? []
  if (offered.length === 0) return null
  return (
    <div class="field">
      <label for="follow">{t('follow.label')}</label>
      <select
        id="follow"
        class="input"
        value={view.choices.follow ?? ''}
        aria-describedby="follow-hint"
        onChange={({ currentTarget }) => controller?.choose({ follow: currentTarget.value || null })}
      >
        <option value="">{t('follow.as_said')}</option>
        {offered.map((language) => (
          <option key={language} value={language} lang={language}>
            {languageName(language)}
          </option>
        ))}
      </select>
      <p id="follow-hint" class="field-hint">
        {t('follow.note')}
      </p>
    </div>
  )
}

/** Who was here before goes on, or begins anew. */
function Back({ slide }: { slide: number }) {
  const { t, controller } = useRoom()
  return (
    <div class="door-buttons">
      <Button kind="primary" onClick={() => controller?.goOn()}>
        {t('door.go_on', { slide })}
      </Button>
      <Button onClick={() => controller?.startAgain()}>{t('door.again')}</Button>
    </div>
  )
}
