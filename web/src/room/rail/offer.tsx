// The call to action below the captions, never over the slide; its link opens at once and is told beside it.
import { Button, buttonClass } from '../../ui/button.tsx'
import { useRoom } from '../use-room.ts'

interface SafeLink {
  href: string
  host: string
  /** What is said beside it, of its site. */
  leads: 'cta.opens' | 'cta.pays'
}

/** The link, if it is one that may be opened from here, and the site it leads to. */
export function safeLink(
  cta: { url: string | null; host?: string | undefined; kind?: 'link' | 'checkout' | undefined } | null,
): SafeLink | null {
  const parsed = URL.parse(cta?.url ?? '')
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return null
  return { href: parsed.href, host: cta?.host ?? parsed.host, leads: cta?.kind === 'checkout' ? 'cta.pays' : 'cta.opens' }
}

export function OfferLink({ link }: { link: SafeLink }) {
  const { view, controller } = useRoom()
  return (
    <a class={buttonClass('primary')} href={link.href} target="_blank" rel="noopener noreferrer" onClick={() => controller?.openOffer()}>
      <bdi>{view.room.cta.text || link.host}</bdi>
    </a>
  )
}

export function Offer() {
  const { boot, t, view, controller } = useRoom()
  const { room, offerHidden } = view
  const link = safeLink(room.cta)
  if (link === null || offerHidden || (room.cta.state !== 'shown' && room.cta.state !== 'clicked')) return null
  return (
    <aside class="offer" data-testid="cta" aria-label={t('cta.offer')}>
      <div class="offer-link">
        <OfferLink link={link} />
        <p class="small muted">{t(link.leads, { host: link.host })}</p>
      </div>
      <div class="actions">
        {!boot.isKept && (
          <Button kind="quiet" onClick={() => controller?.show({ type: 'details' })}>
            {t('cta.details')}
          </Button>
        )}
        <Button kind="quiet" onClick={() => controller?.hideOffer()}>
          {t('cta.dismiss')}
        </Button>
      </div>
    </aside>
  )
}
