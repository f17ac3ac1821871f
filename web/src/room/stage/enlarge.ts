// A slide made larger in its place: by a double press where it is pressed, by two fingers as far as they part. It scrolls then.

const scaleMax = 4

/** Of the place of the slide. */
export function enlargeable(place: HTMLElement): () => void {
  const stop = new AbortController()
  const { signal } = stop
  const scaleNow = () => Number(place.style.getPropertyValue('--enlarged') || 1)
  const set = (wanted: number, x: number, y: number) => {
    const box = place.getBoundingClientRect()
    const before = scaleNow()
    const scale = Math.min(scaleMax, Math.max(1, wanted))
    const [across, down] = [x - box.left, y - box.top]
    const [left, top] = [place.scrollLeft + across, place.scrollTop + down]
    // It keeps the height that it has.
    place.style.blockSize = scale > 1 ? `${box.height}px` : ''
    place.style.setProperty('--enlarged', String(scale))
    place.toggleAttribute('data-enlarged', scale > 1)
    if (scale > 1) place.tabIndex = 0
    else place.removeAttribute('tabindex')
    place.scrollTo((left * scale) / before - across, (top * scale) / before - down)
  }
  place.addEventListener('dblclick', ({ clientX, clientY }) => set(scaleNow() > 1 ? 1 : 2, clientX, clientY), { signal })
  let pinch: { apart: number; scale: number } | null = null
  const apart = ([one, two]: TouchList) => (one && two ? Math.hypot(one.clientX - two.clientX, one.clientY - two.clientY) : 0)
  place.addEventListener(
    'touchstart',
    ({ touches }) => {
      pinch = touches.length === 2 ? { apart: apart(touches), scale: scaleNow() } : null
    },
    { signal, passive: true },
  )
  place.addEventListener(
    'touchmove',
    (event) => {
      const [one, two] = event.touches
      if (pinch === null || !one || !two) return
      event.preventDefault()
      set((pinch.scale * apart(event.touches)) / pinch.apart, (one.clientX + two.clientX) / 2, (one.clientY + two.clientY) / 2)
    },
    { signal, passive: false },
  )
  return () => {
    stop.abort()
    if (scaleNow() > 1) set(1, 0, 0)
  }
}

export function enlargeAtCentre(): void {
  const place = document.querySelector<HTMLElement>('.slide-place')
  const { left, top, width, height } = place?.getBoundingClientRect() ?? new DOMRect()
  place?.dispatchEvent(new MouseEvent('dblclick', { clientX: left + width / 2, clientY: top + height / 2 }))
  if (place?.hasAttribute('data-enlarged')) place.focus()
}
