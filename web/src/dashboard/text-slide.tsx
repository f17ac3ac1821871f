// A slide without a picture is its text, read as the room reads it: the title, then up to seven lines.
import { bodyLines } from '../room/slide-view.tsx'

export function TextSlide({ title, text }: { title: string | null | undefined; text: string | null | undefined }) {
  return (
    <div class="text-slide" dir="auto">
      {title && <p class="text-slide-title">{title}</p>}
      {bodyLines(text ?? null, title ?? '')
        .slice(0, 7)
        .map((line, index) => (
          <p key={index} class={line.bullet ? 'text-slide-item' : undefined}>
            {line.text}
          </p>
        ))}
    </div>
  )
}
