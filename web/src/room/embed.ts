// Word to the page that frames the room, to the origin that framed it and to no other.

export type EmbedWord = { type: 'ready' } | { type: 'state'; state: string; slide: number } | { type: 'height'; height: number }

export function tellParent(word: EmbedWord): void {
  if (parent === window || document.referrer === '') return
  const origin = URL.parse(document.referrer)?.origin
  if (origin !== undefined) parent.postMessage({ source: 'rostrum', ...word }, origin)
}
