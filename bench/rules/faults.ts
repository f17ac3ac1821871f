// What a listener should not hear, and whether a title is the one that stands there: rough, and the same for every rule.
import { countWords } from '../../packages/telling/spoken-words.ts'

export type Fault = 'address' | 'code' | 'signs' | 'half' | 'label' | 'again' | 'long'

const address = /https?:|www\.|\S@\S+\.\w|\b[\w-]+\.(?:com|org|net|io|gov|dev|html?|docx?)\b/iu
const code = /[{}]|=>|::|\w\(\w*\)\s*;|#include|<\/?\w+[ >]|;\s*$|[\w\])]\s*[!=]=\s*[\w"'[(]/u
const signs = /(?:^|\s)(?:\p{Lu} ){3}|[\uFFFD\uE000-\uF8FF❏❑❒➢►▪■□●◦•]|#{2,}|\*\*|&(?:amp|nbsp|lt|gt);/u
const half =
  /(?:^|\s)(?:the|a|an|of|and|or|for|to|in|with|by|from|on|is|are|der|die|das|und|oder|von|mit|zu|für|de|la|el|los|las|y|o|con|para|un|una|en)[.…]?$|[,(/–-][.…]?$|\([^)]*$/iu
const wordsMost = 40

function faultIn(text: string, language: string, heard: globalThis.Set<string>): Fault | undefined {
  const bare = text.replace(/[.。]+$/u, '').trim()
  if (address.test(text)) return 'address'
  if (code.test(bare)) return 'code'
  if (signs.test(text)) return 'signs'
  if (half.test(bare)) return 'half'
  const words = countWords(bare, language)
  if (words > wordsMost) return 'long'
  if (words < 3 && !/[?？!！]$/u.test(text)) return 'label'
  const key = bare.toLowerCase()
  if (words > 4 && heard.has(key)) return 'again'
  heard.add(key)
  return undefined
}

/** The first fault of what is said on one slide. */
export function faultOf(said: readonly string[], language: string, heard: globalThis.Set<string>): Fault | undefined {
  for (const text of said) {
    const fault = text.trim() === '' ? undefined : faultIn(text, language, heard)
    if (fault !== undefined) return fault
  }
  return undefined
}

const plain = (text: string) =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '')

type Title = string | null
export type Titles = Title | readonly Title[]

export const isTitle = (found: string, wanted: Titles): boolean => [wanted].flat().some((title) => plain(title ?? '') === plain(found))
