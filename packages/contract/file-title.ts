// The title that a file lends to its talk until the deck has one of its own: the same for the dashboard, which comes without Zod, and for
// the server.

/** Of any title. */
const lengthMax = 200

/** What a talk is called as long as nobody says otherwise: `Grid storage` of `grid_storage.pdf`. Pictures are called nothing. */
export function titleOfFile(fileName: string): string {
  if (!/\.(?:pdf|pptx?|odp|md)$/iu.test(fileName)) return ''
  const name = fileName.slice(0, fileName.lastIndexOf('.')).replaceAll('_', ' ').trim()
  const spaced = name.includes(' ') ? name : name.replaceAll('-', ' ')
  return `${spaced.charAt(0).toUpperCase()}${spaced.slice(1)}`.slice(0, lengthMax)
}
