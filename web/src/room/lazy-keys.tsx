// Stands where the list of keys will be, until it is asked for.
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface KeysProps {
  open: boolean
  onClose: () => void
}

export function LazyKeys(props: KeysProps) {
  const [List, setList] = useState<FunctionComponent<KeysProps>>()
  useEffect(() => {
    if (props.open) void import('./key-list.tsx').then(({ KeyList }) => setList(() => KeyList))
  }, [props.open])
  return List ? <List {...props} /> : null
}
