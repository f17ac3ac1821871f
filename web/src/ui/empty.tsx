// What a list says when it has nothing: one heading, one sentence, the act that fills it. No illustration.
import type { ComponentChildren } from 'preact'

export function Empty({ title, text, children }: { title: string; text: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}
