// Where a question is written: Enter sends, Shift+Enter breaks the line, the draft survives a reload. Voice is offered where there is any.
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { useRoom, useView } from './use-room.ts'
import { useDictation } from './dictation.ts'

const charsMax = 4_000
const counterFrom = 3_500

export function Composer() {
  const { boot, t, controller } = useRoom()
  const view = useView()
  const [text, setText] = useState('')
  const field = useRef<HTMLTextAreaElement>(null)
  const draftName = `rostrum.draft.${boot.key}`
  const write = (next: string) => {
    setText(next)
    controller?.draft.save(draftName, next === '' ? null : next)
  }
  useEffect(() => setText(controller?.draft.load(draftName) ?? ''), [controller])
  const dictation = useDictation(boot.room.language, (heard) => write(`${text}${text === '' ? '' : ' '}${heard}`.slice(0, charsMax)))
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
            {view.handRaised ? t('ask.hand_down') : t('ask.hand')}
          </Button>
        )}
        {dictation.available && (
          <Button kind="quiet" aria-pressed={dictation.listening} onClick={dictation.toggle}>
            {dictation.listening ? t('ask.listening') : t('ask.speak')}
          </Button>
        )}
        {controller?.isolated && speaking && text.trim() !== '' && (
          <Button kind="quiet" onClick={() => send(true)}>
            {t('ask.now')}
          </Button>
        )}
        <Button type="submit" kind="plain" class="composer-send">
          {t('ask.send')}
        </Button>
      </div>
      {dictation.listening && <p class="small muted">{t('ask.speech_note')}</p>}
    </form>
  )
}
