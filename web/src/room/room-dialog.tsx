// The one dialog of the room: contact details, the list of keys, or what a citation quotes. The list is fetched when it opens.
import { Dialog } from '../ui/dialog.tsx'
import { later } from './later.tsx'
import { LeadForm } from './rail/lead-form.tsx'
import { useRoom } from './use-room.ts'

const Keys = later(() => import('./key-list.tsx').then(({ KeyList }) => KeyList))

export function RoomDialog() {
  const { t, view, controller } = useRoom()
  const { dialog } = view
  const shows = (type: 'details' | 'send' | 'keys') => dialog?.type === type
  const title =
    dialog?.type === 'quote'
      ? t('answer.quote', { title: dialog.title })
      : t(shows('keys') ? 'keys.title' : shows('send') ? 'send.title' : 'lead.title')
  return (
    <Dialog open={dialog !== null} title={title} closeLabel={t('close')} onClose={() => controller?.show(null)}>
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
