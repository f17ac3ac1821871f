// Hands a file made in the page to the browser's downloads.

export function saveFile(name: string, content: string | Blob, type: string): void {
  const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

/** A title as a file name: ASCII words joined by hyphens. */
export function fileName(title: string, rest: string): string {
  const words = title
    .normalize('NFKD')
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/[\s_]+/g, '-')
    .toLowerCase()
    .slice(0, 60)
  return `${words === '' ? 'session' : words}-${rest}`
}
