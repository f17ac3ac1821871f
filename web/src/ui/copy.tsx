// A button that copies a text and says so; where the clipboard is refused it selects nothing and says what to do instead.
import { Check, Copy as CopyIcon } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface CopyProps {
  value: string
  /** What the button says. */
  label: string
  /** Of whom or what, where several stand in a list: told to screen readers. */
  of?: string
  dense?: boolean
  kind?: 'plain' | 'quiet' | 'primary'
  onCopied?: () => void
}

export function Copy({ value, label, of, dense, kind = 'plain', onCopied }: CopyProps) {
  const [outcome, setOutcome] = useState<'copied' | 'failed'>()
  useEffect(() => {
    if (outcome === undefined) return
    const timer = setTimeout(() => setOutcome(undefined), 2_500)
    return () => clearTimeout(timer)
  }, [outcome])
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value)
      setOutcome('copied')
      onCopied?.()
    } catch {
      setOutcome('failed')
    }
  }
  const told = outcome === 'copied' ? 'Copied' : outcome === 'failed' ? 'Copy it by hand' : ''
  return (
    <>
      <Button kind={kind} dense={dense ?? false} onClick={() => void copy()}>
        <Icon of={outcome === 'copied' ? Check : CopyIcon} />
        {told === '' ? label : told}
        {of !== undefined && <span class="vh"> of {of}</span>}
      </Button>
      <span class="vh" role="status">
        {told}
      </span>
    </>
  )
}
