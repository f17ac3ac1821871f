// Where a question is written: Enter sends, Shift+Enter breaks the line, the draft survives a reload. Voice is offered where there is any.
import { Hand, Mic } from 'lucide'
import { useRef, useState } from 'preact/hooks'
import { Button } from '../../ui/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Boot } from '../stream/boot.ts'
import { useRoom } from '../use-room.ts'
import type { Speak } from '../voice/speak.tsx'

const charsMax = 4_000
const counterFrom = 3_500

export function Composer() {
  const { boot, t, view, controller } = useRoom()
  const field = useRef<HTMLTextAreaElement>(null)
  const draftName = `rostrum.draft.${boot.key}`
  const [text, setText] = useState(() => controller?.draft.load(draftName) ?? '')
  const write = (next: string) => {
    setText(next)
    controller?.draft.save(draftName, next === '' ? null : next)
  }
  const [found, setFound] = useState<{ Speak: typeof Speak } | null>(null)
  const send = (interrupt: boolean) => {
    const question = text.trim()
    if (question === '') return field.current?.focus()
    controller?.ask(question, interrupt)
    write('')
    field.current?.focus()
  }
  const left = charsMax - text.length
  const speaking = view.room.status === 'presenting' || view.room.status === 'closing'
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        send(false)
      }}
    >
      <Suggested />
      <label for="ask" class="vh">
        {t('ask.label')}
      </label>
      <textarea
        ref={field}
        id="ask"
        class="input"
        rows={1}
        maxLength={charsMax}
        placeholder={t('ask.label')}
        value={text}
        aria-describedby={left <= charsMax - counterFrom ? 'ask-left' : undefined}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          send(false)
        }}
      />
      {left <= charsMax - counterFrom && (
        <p id="ask-left" class="small muted tabular">
          {t('ask.left', { n: left })}
        </p>
      )}
      <div class="composer-buttons">
        {controller?.isolated === false && (
          <Button kind="quiet" aria-pressed={view.handRaised} onClick={() => controller.raiseHand(!view.handRaised)}>
            <Icon of={Hand} />
            <span class="btn-word">{view.handRaised ? t('ask.hand_down') : t('ask.hand')}</span>
          </Button>
        )}
        {found ? (
          <found.Speak icon={microphone} onHeard={(heard) => write(`${text} ${heard}`.trim().slice(0, charsMax))} />
        ) : (
          canListen(boot) && (
            <Button kind="quiet" onClick={() => void import('../voice/speak.tsx').then(setFound)}>
              {microphone}
              <span class="btn-word">{t('ask.speak')}</span>
            </Button>
          )
        )}
        {controller?.isolated && speaking && text.trim() !== '' && (
          <Button kind="quiet" class="ask-now" onClick={() => send(true)}>
            {t('ask.now')}
          </Button>
        )}
        <Button type="submit" kind="plain" class="composer-send">
          {t('ask.send')}
        </Button>
      </div>
    </form>
  )
}

const suggestedMax = 3
const titleMax = 48
const asks = /[?？؟]$/
/** "For more information…" leads on to something and names nothing. */
const leadsOn = /(?:[…:：]|\.\.)$/u

/**
 * Until something was asked: what the talk has titles for, from the slide on screen to its end, and one of its background, which nobody
 * sees; in the words of its own language.
 */
function Suggested() {
  const { boot, t, view, controller } = useRoom()
  const { slides, slideIndex, questions, status } = view.room
  const isInItsLanguage = boot.language.split('-')[0] === boot.room.language.split('-')[0]
  if (!isInItsLanguage || questions.length > 0 || view.entries.some(({ kind }) => kind === 'questions') || status === 'lobby') return null
  const titles = [...new Set(slides.slice(Math.max(1, slideIndex)).map(({ title }) => title ?? ''))].filter(
    (title) => title !== '' && title.length <= titleMax && !leadsOn.test(title),
  )
  const [beside] = boot.room.background ?? []
  const ofSlides = suggestedMax - (beside === undefined ? 0 : 1)
  const every = Math.max(1, Math.floor(titles.length / ofSlides))
  const spread = titles.filter((_, index) => index % every === 0).slice(0, ofSlides)
  const shown = [...spread.slice(0, 1), ...(beside === undefined ? [] : [beside]), ...spread.slice(1)]
  if (shown.length === 0) return null
  return (
    <div class="suggested" role="group" aria-label={t('ask.suggested')}>
      {shown.map((title) => {
        const question = asks.test(title) ? title : t('ask.about', { title })
        return (
          <Button key={title} dense onClick={() => controller?.ask(question, false)}>
            <bdi>{question}</bdi>
          </Button>
        )
      })}
    </div>
  )
}

/** No part of the room is drawn on the server with it, so the browser can be asked at once. What a browser hears, its maker may. */
export const canListen = ({ room, isKept }: Boot) =>
  !isKept && (room.voices?.stt ? 'MediaRecorder' : 'webkitSpeechRecognition') in globalThis

export const microphone = <Icon of={Mic} />
