// A person before the talk: registers, sees what became of it, cancels, ends mails. No script, so it opens anywhere.
import type { OwnRegistration, PageProps } from '../server/types.ts'
import type { T } from '../room/stream/boot.ts'
import { buttonClass } from '../ui/button.tsx'
import { Checkbox, TextArea, TextField } from '../ui/field.tsx'
import type { MessageKey, Messages } from '../ui/words.ts'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

type Strings = { strings: Messages }

function Head({ title, when, strings, words }: Strings & { title: string; when: string | null; words: MessageKey }) {
  return (
    <>
      <hgroup class="reg-head">
        <p class="muted">{text(strings, words)}</p>
        <h1 dir="auto">{title}</h1>
      </hgroup>
      {when !== null && (
        <p class="reg-when">
          <span class="small muted">{text(strings, 'page.reg_when')}</span>
          <br />
          <time>{when}</time>
        </p>
      )}
    </>
  )
}

export function RegisterPage({ page, strings, form, when, given = {}, wrong = [] }: FrameProps & PageProps['register']) {
  const { asks, question, isFull, isOver, entry, consentText, recapConsentText, description } = form
  const field = (name: string, label: MessageKey, isOptional = false) => ({
    name,
    label: isOptional ? `${text(strings, label)} (${text(strings, 'page.reg_optional')})` : text(strings, label),
    defaultValue: given[name],
    required: !isOptional,
    error: wrong.includes(name) ? text(strings, 'page.reg_missing') : undefined,
  })
  return (
    <PageFrame page={page} strings={strings} narrow isOfTalk>
      <Head words="page.reg_register" title={form.title} when={when} strings={strings} />
      {description && (
        <p class="prose" dir="auto">
          {description}
        </p>
      )}
      {isOver ? (
        <p class="note note-amber">{text(strings, 'page.reg_over')}</p>
      ) : (
        <form method="post" class="report">
          {isFull && <p class="note note-amber">{text(strings, 'page.reg_full')}</p>}
          <TextField {...field('name', 'page.reg_name')} autocomplete="name" maxLength={200} />
          <TextField {...field('email', 'page.reg_email')} type="email" autocomplete="email" maxLength={254} />
          {asks.includes('company') && (
            <TextField {...field('company', 'page.reg_company', true)} autocomplete="organization" maxLength={200} />
          )}
          {asks.includes('phone') && <TextField {...field('phone', 'page.reg_phone', true)} type="tel" autocomplete="tel" maxLength={40} />}
          {question !== undefined && (
            <TextArea
              name="answer"
              label={`${question} (${text(strings, 'page.reg_optional')})`}
              defaultValue={given['answer']}
              maxLength={4000}
            />
          )}
          {/* People see no such field; what fills in every one does. */}
          <div class="reg-trap" aria-hidden="true">
            <label for="website">Website</label>
            <input id="website" name="website" tabIndex={-1} autocomplete="off" />
          </div>
          <Checkbox
            name="consent"
            required
            defaultChecked={given['consent'] === 'on'}
            label={<span dir="auto">{consentText}</span>}
            error={wrong.includes('consent') ? text(strings, 'page.reg_missing') : undefined}
          />
          {recapConsentText !== undefined && (
            <Checkbox name="recap" defaultChecked={given['recap'] === 'on'} label={<span dir="auto">{recapConsentText}</span>} />
          )}
          {entry === 'confirmed' && <p class="small muted">{text(strings, 'page.reg_gate')}</p>}
          <p>
            <button type="submit" class={buttonClass('primary')}>
              {text(strings, isFull ? 'page.reg_send_waiting' : 'page.reg_send')}
            </button>
          </p>
        </form>
      )}
    </PageFrame>
  )
}

/** What follows comes by mail; without one, the address was known. */
export function RegisteredPage({ page, strings, t, title, when, email, state, isMailed }: FrameProps & PageProps['registered'] & { t: T }) {
  const words = !isMailed ? 'page.reg_done_kept' : state === 'waiting' ? 'page.reg_done_waiting' : 'page.reg_done_mail'
  return (
    <PageFrame page={page} strings={strings} narrow isOfTalk>
      <Head words={isMailed ? 'page.reg_done' : 'page.reg_mine'} title={title} when={when} strings={strings} />
      <p>{t(words, { email })}</p>
      {/* The same for everybody: whether an address has ended mails is said to its reader alone. */}
      {isMailed && <p class="small muted">{text(strings, 'page.reg_done_none')}</p>}
    </PageFrame>
  )
}

const stateWords = ({ state, position = 0 }: OwnRegistration, t: T): string =>
  state === 'waiting' ? t('page.reg_waiting', { n: position }) : t(state === 'going' ? 'page.reg_going' : 'page.reg_cancelled')

export function RegistrationPage({ page, strings, t, own, when, calendarUrl }: FrameProps & PageProps['registration'] & { t: T }) {
  const { state, isOver, roomUrl, webCalendarUrl, registerUrl, isMailed, mailsUrl } = own
  return (
    <PageFrame page={page} strings={strings} narrow isOfTalk>
      <Head words="page.reg_mine" title={own.title} when={when} strings={strings} />
      <p class="note" role="status">
        {isOver ? text(strings, 'page.reg_over') : stateWords(own, t)}
      </p>
      {roomUrl !== undefined && !isOver && (
        <p>
          <a class={buttonClass('primary')} href={roomUrl}>
            {text(strings, 'page.reg_enter')}
          </a>
        </p>
      )}
      {webCalendarUrl !== undefined && !isOver && (
        <p class="actions">
          <a class={buttonClass('plain')} href={calendarUrl}>
            {text(strings, 'page.reg_calendar')}
          </a>
          <a class={buttonClass('plain')} href={webCalendarUrl} rel="noopener noreferrer">
            {text(strings, 'page.reg_calendar_web')}
          </a>
        </p>
      )}
      {mailsUrl !== undefined && !isMailed && (
        <div class="note note-amber">
          <p>{text(strings, 'page.reg_ended')}</p>
          <ChangeMails strings={strings} words="page.reg_want" isOn action={mailsUrl} />
        </div>
      )}
      {state === 'cancelled' ? (
        <p>
          <a class={buttonClass('plain')} href={registerUrl}>
            {text(strings, 'page.reg_again')}
          </a>
        </p>
      ) : (
        !isOver && (
          <details class="kept-end">
            <summary>{text(strings, 'page.reg_cancel')}</summary>
            <form method="post">
              <p class="small muted">{text(strings, 'page.reg_cancel_text')}</p>
              <button type="submit" class={buttonClass('danger')}>
                {text(strings, 'page.reg_cancel')}
              </button>
            </form>
          </details>
        )
      )}
    </PageFrame>
  )
}

interface ChangeProps extends Strings {
  words: MessageKey
  kind?: 'primary' | 'plain'
  of?: 'talk' | 'host'
  isOn?: boolean
  action?: string
}

/** One press, to the address of the page that ends mails. */
function ChangeMails({ strings, words, kind = 'plain', of = 'talk', isOn = false, action }: ChangeProps) {
  return (
    <form method="post" action={action}>
      <input type="hidden" name="of" value={of} />
      <input type="hidden" name="mails" value={isOn ? 'on' : 'off'} />
      <button type="submit" class={buttonClass(kind)}>
        {text(strings, words)}
      </button>
    </form>
  )
}

export function EndMailsPage({ page, strings, ended: { talk, host } }: FrameProps & PageProps['end-mails']) {
  return (
    <PageFrame page={page} strings={strings} narrow isOfTalk>
      <h1>{text(strings, talk ? 'page.reg_stopped' : 'page.reg_stop')}</h1>
      <p role="status">{text(strings, talk ? 'page.reg_stopped_text' : 'page.reg_stop_text')}</p>
      {host === true && <p>{text(strings, 'page.reg_stopped_host')}</p>}
      <div class="actions">
        {!talk && <ChangeMails strings={strings} words="page.reg_stop_do" kind="primary" />}
        {host === false && <ChangeMails strings={strings} words="page.reg_stop_host" of="host" />}
        {talk && <ChangeMails strings={strings} words="page.reg_want" isOn />}
        {host === true && <ChangeMails strings={strings} words="page.reg_want_host" of="host" isOn />}
      </div>
    </PageFrame>
  )
}
