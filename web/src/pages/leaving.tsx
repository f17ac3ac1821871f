// Before a link of a talk that nobody vouches for: it names the site to which the link leads. No script.
import type { T } from '../room/stream/boot.ts'
import { safeLink } from '../room/rail/offer.tsx'
import type { PageProps } from '../server/types.ts'
import { buttonClass } from '../ui/button.tsx'
import type { FrameProps } from './page-frame.tsx'
import { PageFrame, text } from './page-frame.tsx'

export function LeavingPage({ page, strings, t, url, host }: FrameProps & PageProps['leaving'] & { t: T }) {
  const link = safeLink({ url, host })
  return (
    <PageFrame page={page} strings={strings} narrow>
      <h1>{text(strings, 'page.leaving_title')}</h1>
      <p class="leaving-host">
        <bdi dir="ltr">{host}</bdi>
      </p>
      <p>{text(strings, 'page.leaving_text')}</p>
      <p class="small muted leaving-url">
        <bdi dir="ltr">{url}</bdi>
      </p>
      {link !== null && (
        <p>
          <a class={buttonClass('plain')} href={link.href} rel="noopener noreferrer nofollow">
            <bdi>{t('page.leaving_go', { host })}</bdi>
          </a>
        </p>
      )}
      <p class="small muted">{text(strings, 'page.leaving_stay')}</p>
    </PageFrame>
  )
}
