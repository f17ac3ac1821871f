// A button with the dialog that it opens.
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { Button, type ButtonProps } from '../../ui/button.tsx'

export interface OpenButtonProps extends Omit<ButtonProps, 'onClick'> {
  opens: (onClose: () => void) => ComponentChildren
  isOpen?: boolean
}

export function OpenButton({ opens, isOpen: isOpenFirst = false, ...button }: OpenButtonProps) {
  const [isOpen, setOpen] = useState(isOpenFirst)
  return (
    <>
      <Button {...button} onClick={() => setOpen(true)} />
      {isOpen && opens(() => setOpen(false))}
    </>
  )
}
