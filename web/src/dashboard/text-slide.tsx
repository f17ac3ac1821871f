// A slide without a picture is its text: the title, then up to seven lines.

export function TextSlide({ title, text }: { title: string | null | undefined; text: string | null | undefined }) {
  const lines = (text ?? '')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && line !== title?.trim())
  return (
    <div class="text-slide">
      {title && <p class="text-slide-title">{title}</p>}
      {lines.slice(0, 7).map((line, index) => (
        <p key={index} class={/^[-*\u2022] /.test(line) ? 'text-slide-item' : undefined}>
          {line.replace(/^[-*\u2022] /, '')}
        </p>
      ))}
    </div>
  )
}
