// The frame a view runs in, as far as the bridge needs it: messages of its host, its size, time. Only the parent window counts as
// the host.

export interface ViewFrame {
  /** To the host. */
  post(message: object): void
  /** Messages of the host, whatever they are. */
  listen(receive: (data: unknown) => void): void
  /** Gives the size of the document now, and after each change. */
  measure(changed: (size: { width: number; height: number }) => void): void
  /** Calls `fn` after `ms`; the returned function keeps it from that. */
  after(ms: number, fn: () => void): () => void
}

export function browserFrame(): ViewFrame {
  return {
    // The origin of the host cannot be known: these views run in an opaque one, and hosts are many. Nothing sent is secret.
    post: (message) => window.parent.postMessage(message, '*'),
    listen: (receive) =>
      window.addEventListener('message', ({ source, data }: MessageEvent<unknown>) => {
        if (source === window.parent) receive(data)
      }),
    measure: (changed) =>
      new ResizeObserver(() => {
        const { scrollWidth: width } = document.documentElement
        changed({ width, height: Math.ceil(document.body.getBoundingClientRect().height) })
      }).observe(document.body),
    after(ms, fn) {
      const timer = setTimeout(fn, ms)
      return () => clearTimeout(timer)
    },
  }
}
