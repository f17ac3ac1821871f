// A button that copies a text and says so; where the clipboard is refused it selects nothing and says what to do instead.
import { Check, Copy as CopyIcon } from 'lucide'
import { useEffect, useState } from 'preact/hooks'
import { Button } from './button.tsx'
import { Icon } from './icon.tsx'

export interface CopyProps {
  value: string
  /** What the button says; `Copy` unless something more exact is needed. */
  label: string
  /** Of whom or what, where several stand in a list: told to screen readers. */
  of?: string
  copiedLabel: string
  failedLabel: string
  dense?: boolean
  kind?: 'plain' | 'quiet' | 'primary'
  onCopied?: () => void
}

export function Copy({ value, label, of, copiedLabel, failedLabel, dense, kind = 'plain', onCopied }: CopyProps) {
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
  const told = outcome === 'copied' ? copiedLabel : outcome === 'failed' ? failedLabel : ''
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

export interface SecretProps extends CopyProps {
  /** Why it is shown once. */
  warning: string
}

/** A secret shown once, in a well that wraps, with its copy button. Keep it in component state only: never in an address or storage. */
export function Secret({ warning, ...copy }: SecretProps) {
  return (
    <div class="secret">
      <p>{warning}</p>
      <code class="well" data-testid="secret">
        {copy.value}
      </code>
      <div class="actions">
        <Copy {...copy} />
      </div>
    </div>
  )
}
