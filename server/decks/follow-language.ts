// The language of a session follows its deck unless the host has named one.
import type { Tx } from '../platform/db/store.ts'
import { baseLanguage } from '@rostrum/languages/languages'
import { languageOfSlides, type ReadSlide } from '@rostrum/deck/language'
import type { DeckWarning } from '@rostrum/deck/warnings'

/**
 * Tells the session the language of the deck that goes into service. Where the host has named another one, that stays, and the
 * host is told. The caller holds the session.
 */
export async function followLanguage(tx: Tx, sessionId: string, slides: readonly ReadSlide[]): Promise<DeckWarning[]> {
  const read = languageOfSlides(slides)
  if (read === undefined) return []
  const session = await tx
    .selectFrom('sessions')
    .select(['language', 'language_from', 'consent_text', 'consent_version'])
    .where('id', '=', sessionId)
    .executeTakeFirst()
  if (session === undefined) return []
  if (session.language_from === 'host') return differing(session.language, read)
  if (baseLanguage(session.language) === baseLanguage(read)) return []
  // Without a text of the host the consent is asked in the language of the talk: other words, another version.
  const consent_version = session.consent_version + (session.consent_text === null ? 1 : 0)
  await tx.updateTable('sessions').set({ language: read, language_from: 'deck', consent_version }).where('id', '=', sessionId).execute()
  return []
}

const nameOf = (tag: string) => new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag

/** A warning where the host's language is not the deck's. */
export function differing(named: string, read: string): DeckWarning[] {
  if (baseLanguage(named) === baseLanguage(read)) return []
  return [
    {
      index: 0,
      isOfDeck: true,
      code: 'language_differs',
      detail: `The slides look ${nameOf(read)}, and the talk is given in ${nameOf(named)}.`,
      fix: `Set the language of the session to ${nameOf(read)}, or keep it if this is meant.`,
    },
  ]
}
