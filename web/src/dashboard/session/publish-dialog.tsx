// Publishing asks who should find the talk: whoever has its link, or everybody. It starts from what the session says.
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import type { SessionRecord } from '../data/wire.ts'
import { publish } from './session-acts.ts'

export interface PublishDialogProps {
  session: SessionRecord & { discoverable?: boolean }
  onClose: () => void
}

const reaches = [
  { value: 'link', label: 'Link only', words: 'Whoever has the link can open it. It is in no list, and search engines do not keep it.' },
  {
    value: 'listed',
    label: 'Listed',
    words: 'Also on the front page of this service, and for personal agents and search engines to find.',
  },
] as const

export function PublishDialog({ session, onClose }: PublishDialogProps) {
  const chosen = session.discoverable === true ? 'listed' : 'link'
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!(event.currentTarget instanceof HTMLFormElement)) return
    const reach = new FormData(event.currentTarget).get('reach')
    onClose()
    void publish(session, reach === 'listed')
  }
  return (
    <Dialog open title="Publish this talk?" closeLabel="Cancel" onClose={onClose}>
      <form class="form" onSubmit={submit}>
        <fieldset class="form">
          <legend>Who finds it</legend>
          {reaches.map(({ value, label, words }) => (
            <div key={value} class="check">
              <input type="radio" id={`reach-${value}`} name="reach" value={value} defaultChecked={value === chosen} />
              <label for={`reach-${value}`}>
                {label}
                <span class="field-hint reach-words">{words}</span>
              </label>
            </div>
          ))}
        </fieldset>
        <div class="actions actions-end">
          <Button kind="primary" type="submit">
            Publish
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
