// What the room says, in every language of `languages/room`: the bundler of a talk in one file puts them all in the place of this one.
import en from '@rostrum/languages/words/room/en.json'
import type { Messages } from '../ui/words.ts'

export const roomTexts: Readonly<Record<'en', Messages> & Partial<Record<string, Messages>>> = { en }
