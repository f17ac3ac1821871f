// The one dialog of the room: contact details, the list of keys, or what a citation quotes. The list is fetched when it opens.
import { webClock } from '../ui/clock.ts'
import { Dialog } from '../ui/dialog.tsx'
import { later } from './later.tsx'
import { LeadForm } from './rail/lead-form.tsx'
import { useRoom } from './use-room.ts'

const Keys = later(() => import('./key-list.tsx').then(({ KeyList }) => KeyList))

const besides = 'body > :not(#app, script), .room > :not(dialog)'

/**
 * Once the dialog is painted: that the rest is out of reach has to be calculated for each element of the room, which a slow telephone
 * would do before it shows anything.
 */
function putBehind(): () => void {
  const set = (isInert: boolean) => document.querySelectorAll<HTMLElement>(besides).forEach((each) => (each.inert = isInert))
  let cancel = () => {}
  const frame = requestAnimationFrame(() => (cancel = webClock.after(0, () => set(true))))
  return () => {
    cancelAnimationFrame(frame)
    cancel()
    set(false)
  }
}

export function RoomDialog() {
  const { t, view, controller } = useRoom()
  const { dialog } = view
  const shows = (type: 'details' | 'send' | 'keys') => dialog?.type === type
  const title =
    dialog?.type === 'quote'
      ? t('answer.quote', { title: dialog.title })
      : t(shows('keys') ? 'keys.title' : shows('send') ? 'send.title' : 'lead.title')
  return (
    <Dialog open={dialog !== null} title={title} closeLabel={t('close')} putBehind={putBehind} onClose={() => controller?.show(null)}>
      {shows('details') && <LeadForm />}
      {shows('send') && <LeadForm isBrief />}
      {shows('keys') && <Keys />}
      {dialog?.type === 'quote' &&
        dialog.quotes.map((quote, at) => (
          <blockquote key={at} class="quote" dir="auto">
            {quote}
          </blockquote>
        ))}
    </Dialog>
  )
}
