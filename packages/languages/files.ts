// Where the words lie: a file of `words/` each. A file that works without a server brings them along instead (`scripts/bundle.mjs`).
import { readdirSync, readFileSync } from 'node:fs'

const folder = new URL('./words/', import.meta.url)

/** Every text by its tag, read when it is first asked for. */
export const languageFiles: Readonly<Record<string, () => string>> = Object.fromEntries(
  readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => [file.slice(0, -'.json'.length), () => readFileSync(new URL(file, folder), 'utf8')]),
)
