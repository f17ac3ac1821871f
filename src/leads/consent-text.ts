// What a person agrees to where the host has written no text of their own, in the language of the talk; English for languages without one.
import { languageOf } from '../platform/languages.ts'

/** `tag`: the language of the session (BCP 47). */
export const consentTextIn = (tag: string): string => languageOf(tag).consent
