// A QR code of an address as SVG; the encoder is a lazy chunk.
import { useEffect, useState } from 'preact/hooks'

export interface QrShape {
  /** Modules a side, quiet zone included. */
  size: number
  path: string
}

export async function qrShape(text: string): Promise<QrShape> {
  const { encode } = await import('uqr')
  const code = encode(text, { ecc: 'M', border: 4 })
  const path = code.data.flatMap((row, y) => row.flatMap((dark, x) => (dark ? [`M${x} ${y}h1v1h-1z`] : []))).join('')
  return { size: code.size, path }
}

/** A file of its own, always dark on white, for download. */
export function qrSvg({ size, path }: QrShape): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="M0 0h${size}v${size}H0z"/><path d="${path}"/></svg>`
}

export function Qr({ text, label }: { text: string; label: string }) {
  const [shape, setShape] = useState<QrShape>()
  useEffect(() => {
    let current = true
    void qrShape(text).then((made) => current && setShape(made))
    return () => {
      current = false
    }
  }, [text])
  return (
    <svg class="qr" viewBox={`0 0 ${shape?.size ?? 33} ${shape?.size ?? 33}`} role="img" aria-label={label} shape-rendering="crispEdges">
      {shape && <path d={shape.path} />}
    </svg>
  )
}
