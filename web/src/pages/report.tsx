// "Report this talk": why, and what the operator should know. A form without script; the operator reads it, the host does not.
import type { PageProps } from '../server/types.ts'
import { buttonClass } from '../ui/button.tsx'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

export function ReportPage({ page, strings, title, reasons, wordsMax }: FrameProps & PageProps['report']) {
  return (
    <PageFrame page={page} strings={strings} narrow>
      <h1>{text(strings, 'report')}</h1>
      <p class="report-talk">
        <bdi>{title}</bdi>
      </p>
      <form method="post" class="report">
        <fieldset>
          <legend>{text(strings, 'page.report_why')}</legend>
          {reasons.map((reason) => (
            <label key={reason} class="check">
              <input type="radio" name="reason" value={reason} required />
              <span>{text(strings, `page.report_${reason}`)}</span>
            </label>
          ))}
        </fieldset>
        <div class="field">
          <label for="words">{text(strings, 'page.report_words')}</label>
          <textarea class="input" id="words" name="words" rows={4} maxLength={wordsMax} aria-describedby="words-hint" />
          <p id="words-hint" class="field-hint">
            {text(strings, 'page.report_hint')}
          </p>
        </div>
        <p>
          <button type="submit" class={buttonClass('primary')}>
            {text(strings, 'page.report_send')}
          </button>
        </p>
      </form>
    </PageFrame>
  )
}

export function ReportedPage({ page, strings }: FrameProps) {
  return (
    <PageFrame page={page} strings={strings} narrow>
      <h1>{text(strings, 'page.reported')}</h1>
      <p>{text(strings, 'page.reported_text')}</p>
    </PageFrame>
  )
}
