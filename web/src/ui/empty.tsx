// What a list says when it has nothing: a faded example of what will stand there, one heading, one sentence, the act that fills it.
import type { ComponentChildren } from 'preact'

export interface EmptyProps {
  title: string
  text: string
  /** How a row will look: words that are drawn faded and told to nobody. */
  example?: readonly string[]
  children?: ComponentChildren
}

export function Empty({ title, text, example, children }: EmptyProps) {
  return (
    <div class="empty">
      {example !== undefined && (
        <div class="empty-example" aria-hidden="true">
          {example.map((words) => (
            <span key={words}>{words}</span>
          ))}
        </div>
      )}
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  )
}
