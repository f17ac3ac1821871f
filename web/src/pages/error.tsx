// Pages for what cannot be shown: words, the request id, a way on. A talk that is not open reads the same whether it exists or not.
import { buttonClass } from '../ui/button.tsx'
import type { PageProps } from '../server/types.ts'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

const worded = [404, 410, 429] as const

export function ErrorPage({ page, strings, status, title, detail, requestId }: FrameProps & PageProps['error']) {
  const known = worded.find((each) => each === status) ?? 500
  return (
    <PageFrame page={page} strings={strings} narrow>
      <h1>{title ?? text(strings, `page.error_${known}`)}</h1>
      <p>{detail ?? text(strings, `page.error_${known}_text`)}</p>
      <p>
        <a class={buttonClass('plain')} href="/">
          {text(strings, 'page.home')}
        </a>
      </p>
      <p class="small muted">{text(strings, 'page.request').replace('{id}', requestId)}</p>
    </PageFrame>
  )
}

const closedWords = {
  guests: ['page.guests_title', 'page.guests_text'],
  expired: ['page.reg_expired_title', 'page.reg_expired_text'],
  none: ['page.closed_title', 'page.closed_text'],
} as const

const wordsOf = ({ reason }: PageProps['join-closed']) => closedWords[reason ?? 'none']

export const closedTitle = (props: PageProps['join-closed']) => wordsOf(props)[0]

export function JoinClosedPage({ page, strings, ...props }: FrameProps & PageProps['join-closed']) {
  const [title, words] = wordsOf(props)
  return (
    <PageFrame page={page} strings={strings} narrow isOfTalk={props.reason !== undefined}>
      <h1>{text(strings, title)}</h1>
      <p>{text(strings, words)}</p>
      {props.reason === undefined && (
        <p>
          <a class={buttonClass('plain')} href="/">
            {text(strings, 'page.home')}
          </a>
        </p>
      )}
    </PageFrame>
  )
}
