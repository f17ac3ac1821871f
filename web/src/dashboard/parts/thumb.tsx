// The first slide, wherever a talk is named: it is found by its picture before its title is read. Slides of text are told by their title.
import { Presentation } from 'lucide'
import { Icon } from '../../ui/icon.tsx'

export function Thumb({ src, title }: { src: string | undefined; title?: string | undefined }) {
  return (
    <span class="talk-thumb" aria-hidden="true">
      {src !== undefined ? (
        <img src={src} alt="" width={640} height={360} loading="lazy" />
      ) : title === undefined ? (
        <Icon of={Presentation} />
      ) : (
        <bdi class="talk-words">{title}</bdi>
      )}
    </span>
  )
}
