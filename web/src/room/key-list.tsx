// The list of keys, with the switch that turns single keys off; loaded when it is opened.
import type { RoomAction } from './keys.ts'
import { useRoom } from './use-room.ts'
import { wear } from './later.tsx'
import style from './key-list.css?inline'

wear(style)

/** What the list of keys shows, in order. */
const keyList: readonly { keys: readonly string[]; action: RoomAction; only?: 'isolated' | 'broadcast' }[] = [
  { keys: ['/', 'Q'], action: 'ask' },
  { keys: ['H'], action: 'hand', only: 'broadcast' },
  { keys: ['Space'], action: 'pause', only: 'isolated' },
  { keys: ['M'], action: 'sound' },
  { keys: ['C'], action: 'captions' },
  { keys: ['T'], action: 'transcript' },
  { keys: ['F'], action: 'theatre' },
  { keys: ['Z'], action: 'enlarge' },
  { keys: ['D'], action: 'dim' },
  { keys: ['←', '→'], action: 'review_next' },
  { keys: ['Esc'], action: 'live' },
  { keys: ['?'], action: 'keys' },
]

export function KeyList() {
  const { boot, t, view, controller } = useRoom()
  const { mode } = boot.room
  const { choices } = view
  const shown = keyList.filter((entry) => entry.only === undefined || entry.only === mode)
  return (
    <>
      <div class="check">
        <input
          id="single-keys"
          type="checkbox"
          checked={choices.singleKeys}
          onChange={(event) => controller?.choose({ singleKeys: event.currentTarget.checked })}
        />
        <label for="single-keys">{t('keys.off')}</label>
      </div>
      <dl class="key-list">
        {shown.map((entry) => (
          <div key={entry.action}>
            <dt>
              {entry.keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{t(`keys.${entry.action}`)}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
