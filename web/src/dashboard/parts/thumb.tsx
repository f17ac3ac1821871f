// The first slide, wherever a talk is named: it is found by its picture before its title is read.
import { Presentation } from 'lucide'
import { Icon } from '../../ui/icon.tsx'

export function Thumb({ src }: { src: string | undefined }) {
  return (
    <span class="talk-thumb" aria-hidden="true">
      {src === undefined ? <Icon of={Presentation} /> : <img src={src} alt="" width={640} height={360} loading="lazy" />}
    </span>
  )
}
