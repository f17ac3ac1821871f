// The button and the keys that open the command palette; its code is fetched on the first use.
import { Search } from 'lucide'
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

interface PaletteProps {
  onClose: () => void
}

export function LazyPalette() {
  const [Palette, setPalette] = useState<{ component: ComponentType<PaletteProps> }>()
  const [isOpen, setOpen] = useState(false)
  const show = async () => {
    const { Palette: component } = await import('./palette.tsx')
    setPalette({ component })
    setOpen(true)
  }
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return
      event.preventDefault()
      void show()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [])
  return (
    <>
      <Button kind="quiet" dense class="palette-button" aria-keyshortcuts="Control+K Meta+K" onClick={() => void show()}>
        <Icon of={Search} />
        Go to
        <kbd aria-hidden="true">{navigator.platform.startsWith('Mac') ? '⌘' : 'Ctrl'} K</kbd>
      </Button>
      {Palette !== undefined && isOpen && <Palette.component onClose={() => setOpen(false)} />}
    </>
  )
}
