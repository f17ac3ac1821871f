// All that the room shows, in one immutable value: the run's state, the connection, what is on its way, and this attendee's choices.
import type { Boot } from './stream/boot.ts'
import type { Entry } from './stream/outbox.ts'
import { initialState, type RoomState } from './stream/state.ts'
import type { Connection } from './stream/stream.ts'

export type CaptionSize = 's' | 'm' | 'l'

/** Choices that are remembered on this device. */
export interface Choices {
  captions: boolean
  captionSize: CaptionSize
  dim: boolean
  singleKeys: boolean
  /** Agreed that the browser's maker may receive what is said. */
  browserEars?: boolean
  /** The transcript is read out by a screen reader; null: only without sound. */
  readOut: boolean | null
  panel: 'questions' | 'transcript'
  /** In which of `listenerLanguages` the words are shown; null: as they are said. */
  follow: string | null
}

type RoomDialogView =
  | { type: 'details' }
  | { type: 'send' }
  | { type: 'keys' }
  | { type: 'quote'; title: string; quotes: readonly string[] }

export interface View {
  /** `door` before joining, `joining` until the room has answered, `in` with a token, `over` after leaving. */
  phase: 'door' | 'joining' | 'in' | 'over'
  joinError: string | null
  /** The slide from which this device may go on. */
  back: number | null
  room: RoomState
  /** The sentence that is being said, or was last. */
  spokenId: string | null
  connection: Connection
  /** What is shown until it has arrived: questions and contact details. */
  entries: readonly Entry[]
  choices: Choices
  sound: boolean
  /** Who would say it: the server, a voice of this device by its name, or nobody. Undefined until the device has told. */
  voice: { from: 'server' } | { from: 'device'; name: string } | null | undefined
  notice: 'blocked' | 'no_voice' | null
  /** The slide looked at, where it is not the live one. */
  review: number | null
  handRaised: boolean
  /** The presenter is silent because this attendee speaks. */
  hushed: boolean
  leaving: boolean
  left: boolean
  votes: Readonly<Record<string, boolean>>
  leadSentAt: number | null
  /** What an agent of this page filled in; the person reads it, ticks the box and sends it. */
  leadDraft: Readonly<Record<string, string>> | null
  /** The first full snapshot of a broadcast found the talk under way. */
  late: boolean
  /** Questions and transcript beside the stage; null until this person has said. */
  rail: boolean | null
  /** Slide and captions alone. */
  theatre: boolean
  dialog: RoomDialogView | null
  offerHidden: boolean
  /** What was said in the language that is followed, by what was said; empty while it is not there or not wanted. */
  translated: Readonly<Record<string, string>>
  /** As said, for a moment. */
  original: boolean
  /** This page paused the talk because nobody was looking. */
  pausedAway: boolean
}

/** The sentence that is being given, and the character reached. It changes ten times a second, so it is no part of the view. */
export interface Spoken {
  id: string
  text: string
  chars: number
  /** The word that is being said, where the voice tells. */
  word?: readonly [start: number, end: number]
}

export const defaultChoices: Choices = {
  captions: true,
  captionSize: 'm',
  dim: false,
  singleKeys: true,
  readOut: null,
  panel: 'questions',
  follow: null,
}

export function initialView(boot: Boot): View {
  return {
    phase: 'door',
    joinError: null,
    back: null,
    room: initialState(boot.room),
    spokenId: null,
    connection: { state: 'idle', since: 0 },
    entries: [],
    choices: defaultChoices,
    sound: false,
    voice: boot.room.voices?.tts ? { from: 'server' } : undefined,
    notice: null,
    review: null,
    handRaised: false,
    hushed: false,
    leaving: false,
    left: false,
    votes: {},
    leadSentAt: null,
    leadDraft: null,
    late: false,
    rail: null,
    theatre: false,
    dialog: null,
    offerHidden: false,
    translated: {},
    original: false,
    pausedAway: false,
  }
}

/** What was said, as this person follows it. */
export const inFollowed = ({ translated, original }: View, text: string): string => (original ? text : (translated[text] ?? text))

export const isOver = (view: View): boolean =>
  view.phase === 'over' || view.room.status === 'completed' || (view.room.closed !== null && view.room.closed !== 'superseded')

/** As chosen; else it opens with the questions of a broadcast, or with one's own first. */
export const isRailOpen = ({ rail, room, entries }: View, isolated: boolean): boolean =>
  rail ?? (!isolated || room.questions.some(({ mine }) => mine) || entries.some(({ kind }) => kind === 'questions'))

/** The slide on screen, from 0. */
export const shownSlide = (view: View): number => view.review ?? view.room.slideIndex
