// The room without its looks: joins, keeps the stream and the outbox, says what is to be said, and holds one `View` that changes.
// Everything an attendee can do is a method; the components only draw and call.
import type { Platform } from '../platform.ts'
import { type Choices, defaultChoices, initialView, isOver, type Spoken, type View } from '../view.ts'
import { createNarrator } from '../voice/narrator.ts'
import type { Boot } from './boot.ts'
import { createFollow, followedVoice } from './follow.ts'
import { createOutbox, type Outbox } from './outbox.ts'
import { reduce, withAsked } from './reduce.ts'
import { roomApi, type Seat } from './room-api.ts'
import type { SseMessage } from '../../../../client/sse.ts'
import { openStream, type RoomStream } from './stream.ts'
import { parseMessage, parseObject } from './wire-parse.ts'
import type { AskedQuestion, ControlAction, PollAnswer } from './wire.ts'

export type Controller = ReturnType<typeof createController>

const seatName = (key: string) => `rostrum.seat.${key}`
const outboxName = (key: string) => `rostrum.outbox.${key}`
/** Of this device, so that who comes back in another tab goes on. */
const leftName = (key: string) => `rostrum.left.${key}`
const choicesName = 'rostrum.choices'
const leaveUndoMs = 5_000

export function createController(boot: Boot, platform: Platform) {
  const { clock } = platform
  const { room } = boot
  const isolated = room.mode === 'isolated'
  const api = roomApi(boot.key, platform.fetch)
  const listeners = new Set<() => void>()
  const spokenListeners = new Set<() => void>()
  let view = initialView(boot)
  let spoken: Spoken | null = null
  let seat: Seat | null = null
  let left: (Seat & { slideIndex: number }) | null = null
  /** Coming back to this slide; null once the room has answered. */
  let returning: number | null = null
  let stream: RoomStream | null = null
  let outbox: Outbox | null = null
  let cancelLeave: (() => void) | null = null
  let isStarting = false

  let untold: (() => void) | null = null
  const tell = () => {
    untold?.()
    untold = null
    for (const listener of listeners) listener()
  }
  const set = (change: Partial<View>) => {
    view = { ...view, ...change }
    tell()
  }
  /** What comes with a sentence is drawn after its caption was painted, and the talk after the press that joins it: all of it at once. */
  const setAfter = (change: Partial<View>) => {
    view = { ...view, ...change }
    untold ??= platform.afterPaint(tell)
  }

  const voices = platform.voices(room.language, room.pronunciations)
  if (!room.voices?.tts) platform.findVoice(room.language, (name) => set({ voice: name === null ? null : { from: 'device', name } }))
  voices.followed = followedVoice(platform, () => view)
  const loadClips = () => void voices.loadClip?.().then((loaded) => (voices.clip ??= loaded))
  if (room.voices?.tts) loadClips()
  const narrator = createNarrator({
    clock,
    isolated,
    voices,
    sendAcks: (body) => outbox?.send('acks', body),
    onSpoken(next) {
      spoken = next
      for (const listener of spokenListeners) listener()
      const spokenId = next?.id ?? null
      if (spokenId !== view.spokenId) setAfter({ spokenId })
    },
    onNotice: (notice) => set({ notice }),
  })

  const saveSeat = (next: Seat | null) => {
    seat = next
    platform.tab.save(seatName(boot.key), next === null ? null : JSON.stringify(next))
  }
  const saveLeft = () => {
    const isUnderWay = isolated && seat !== null && !isOver(view)
    left = isUnderWay && seat !== null ? { ...seat, slideIndex: view.room.slideIndex } : null
    platform.device.save(leftName(boot.key), left && JSON.stringify(left))
  }

  const follow = createFollow({ api, clock, seat: () => seat, view: () => view, set })

  const onMessage = (sse: SseMessage): 'applied' | 'gap' | 'closed' => {
    const message = parseMessage(sse)
    if (message === null) return 'applied'
    const before = view.room
    const outcome = reduce(before, message)
    if (outcome.type === 'gap') return 'gap'
    const after = outcome.state
    const firstFull = message.event === 'snapshot' && !message.data.resumed && before.cursor === null
    const late = firstFull && !isolated && after.recap.length > 0 ? { late: true } : {}
    const hand = message.event === 'snapshot' ? { handRaised: after.handRaised } : {}
    const offer = message.event === 'cta' && message.data.state === 'shown' ? { offerHidden: false } : {}
    const back = view.pausedAway && message.event === 'state' && after.status !== 'paused' ? { pausedAway: false } : {}
    setAfter({ room: after, ...late, ...hand, ...offer, ...back })
    if (after.slideIndex !== before.slideIndex || after.status !== before.status) saveLeft()
    if (message.event === 'snapshot' && returning !== null) {
      const from = returning
      returning = null
      if (isOver(view)) return (joinFrom(from), 'closed')
      if (after.status === 'paused') control('resume')
    }
    if (message.event === 'state' && after.status === 'handed_over') loadClips()
    if (message.event === 'snapshot' || (message.event === 'answer' && message.data.phase !== 'start')) follow()
    // The host can be heard where nobody else can; without words there is nothing else of them.
    if (message.event === 'said' && message.data.audioUrl !== undefined) {
      const isMissed = message.data.text === '' && !view.sound
      set({ voice: view.voice ?? { from: 'server' }, ...(isMissed && { notice: 'blocked' }) })
    }
    if (outcome.type === 'applied') narrator.hear(message, after)
    // The page that asked for the start may have gone before it was heard.
    if (message.event === 'snapshot' && after.status === 'lobby') start()
    if (message.event === 'closed') {
      narrator.stop()
      return 'closed'
    }
    return 'applied'
  }

  const connect = (current: Seat) => {
    stream?.stop()
    outbox ??= createOutbox({
      clock,
      post: async (kind, body) => {
        if (kind === 'control' || kind === 'questions') await narrator.acksSettled()
        return api.post(current, kind, body)
      },
      onChange(entries) {
        const seen = entries.filter(({ kind }) => kind === 'questions' || kind === 'lead' || kind === 'polls')
        if (seen.length !== view.entries.length || seen.some((entry, at) => entry !== view.entries[at])) set({ entries: seen })
        if (!entries.some((entry) => entry.kind === 'acks')) narrator.acksDelivered()
      },
      onAnswer(entry, answer) {
        // The server of this page wrote it.
        if (entry.kind === 'questions' && answer.question) set({ room: withAsked(view.room, answer.question as AskedQuestion) })
        if (entry.kind === 'lead') set({ leadSentAt: clock.now() })
      },
      keep: { load: () => platform.tab.load(outboxName(boot.key)), save: (text) => platform.tab.save(outboxName(boot.key), text) },
    })
    stream = openStream({
      url: current.stream,
      token: current.attendeeToken,
      clock,
      fetch: platform.fetch,
      isOnline: platform.isOnline,
      cursor: () => view.room.cursor,
      onMessage,
      onChange(connection) {
        setAfter({ connection })
        if (connection.state === 'closed' && connection.reason === 'invalid') {
          // The link works though this seat does not: a new run is one press, or goes on where this one was.
          const from = returning ?? (view.room.cursor === null ? (left?.slideIndex ?? 0) : view.room.slideIndex)
          if (returning !== null) return joinFrom(from)
          left = isolated && seat !== null ? { ...seat, slideIndex: from } : null
          reset()
          set({ connection, back: left && from })
        }
      },
    })
  }

  const reset = () => {
    narrator.stop()
    returning = null
    saveSeat(null)
    outbox?.stop()
    outbox = null
    stream?.stop()
    setAfter({ ...initialView(boot), choices: view.choices, voice: view.voice })
  }

  /** In the voice, and under the name, of the run before. */
  const joinFrom = (slideIndex: number) => {
    const { sound, name = '' } = seat ?? left ?? { sound: view.sound }
    reset()
    void join({ sound, name, from: slideIndex })
  }

  const leaveNow = () => {
    outbox?.send('leave', {})
    narrator.stop()
    stream?.stop()
    saveSeat(null)
    saveLeft()
    set({ phase: 'over', left: true, leaving: false, connection: { state: 'closed', since: clock.elapsed(), reason: 'left' } })
  }

  const control = (action: ControlAction, more: Readonly<Record<string, unknown>> = {}) => outbox?.send('control', { action, ...more })

  /** By the id of its run, so that it counts once; and once the stage is painted, which the first caption would wait for. Only one's own. */
  const start = (from = 0) => {
    if (!isolated || isStarting) return
    isStarting = true
    platform.afterPaint(() => {
      isStarting = false
      outbox?.send('control', { action: 'start' }, seat?.runId)
      if (from > 0) control('goto', { slideIndex: from })
    })
  }

  const choose = (change: Partial<Choices>) => {
    const choices = { ...view.choices, ...change }
    platform.device.save(choicesName, JSON.stringify(choices))
    set({ choices, ...(change.follow !== undefined && { translated: {}, original: false }) })
    if (change.follow !== undefined) follow()
  }

  const setSound = (on: boolean) => {
    setAfter({ sound: on, notice: null })
    // Before anything is said: it plays silence on the element of the clips.
    if (on) platform.unlock(narrator.setVoiced)
    narrator.setSound(on)
  }

  /** The join, the audio gesture and, in an isolated run, the start. Call it inside the click. */
  const join = (options: { sound: boolean; name: string; from?: number }) => {
    if (view.phase === 'joining') return
    setSound(options.sound)
    const name = options.name.trim()
    setAfter({
      phase: 'joining',
      joinError: null,
      room: { ...view.room, name: name || null },
      connection: { state: 'connecting', since: clock.elapsed() },
    })
    const refused = (joinError: string) => set({ phase: 'door', joinError, connection: { state: 'idle', since: 0 } })
    const given = { ...(name !== '' && { name }), ...(boot.utm && { utm: boot.utm }) }
    return api
      .join({ id: clock.uuid(), ...given, language: boot.language, kind: 'human' })
      .then((joined) => {
        if (!joined.ok) return refused(joined.detail)
        const taken = { ...joined.seat, sound: options.sound, name }
        saveSeat(taken)
        set({ phase: 'in', back: null })
        connect(taken)
        start(options.from)
      })
      .catch(() => refused(''))
  }

  return {
    subscribe(listener: () => void) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    view: () => view,
    subscribeSpoken(listener: () => void) {
      spokenListeners.add(listener)
      return () => void spokenListeners.delete(listener)
    },
    spoken: () => spoken,

    /** Takes up the seat of this tab after a reload, and the choices of this device. */
    resume() {
      const choices = parseObject(platform.device.load(choicesName))
      const offered = room.listenerLanguages ?? []
      const usual = offered.find((language) => language === boot.language) ?? null
      const chosen = { ...defaultChoices, follow: usual, ...choices }
      set({ choices: { ...chosen, follow: offered.find((language) => language === chosen.follow) ?? null } })
      const kept = parseObject(platform.tab.load(seatName(boot.key)))
      const away = parseObject(platform.device.load(leftName(boot.key)))
      const isSeat = (found: typeof kept) => typeof found?.attendeeToken === 'string' && typeof found.stream === 'string'
      if (isSeat(away)) left = away as unknown as typeof left
      if (!isSeat(kept)) return set({ back: left && left.slideIndex })
      seat = kept as unknown as Seat
      set({ phase: 'in', notice: seat.sound ? 'blocked' : null })
      connect(seat)
    },

    join,
    /** The run that this device left, or, where it is over, a new one from the same slide. Call it inside the click. */
    goOn() {
      if (left === null) return
      returning = left.slideIndex
      setSound(left.sound)
      saveSeat(left)
      setAfter({ phase: 'in', back: null })
      connect(left)
    },
    /** A new run, at one press. */
    startAgain: () => joinFrom(0),

    ask(text: string, interrupt: boolean) {
      if (interrupt) narrator.stop()
      const language = view.choices.follow === null ? {} : { language: view.choices.follow }
      return outbox?.send('questions', { text, slideIndex: view.room.slideIndex, seen: view.room.cursor, interrupt, ...language })
    },
    retry: (id: string) => outbox?.retry(id),
    discard: (id: string) => outbox?.discard(id),
    vote(questionId: string, up: boolean) {
      set({ votes: { ...view.votes, [questionId]: up } })
      outbox?.send('votes', { questionId, value: up ? 1 : 0 })
    },

    /** Null: the talk of one's own goes on without an answer. */
    answerPoll(pollId: string, answer: PollAnswer | null) {
      if (answer !== null) set({ room: { ...view.room, answered: { ...view.room.answered, [pollId]: answer } } })
      return outbox?.send('polls', { pollId, ...(answer ?? { skip: true }) })
    },

    control,
    pause() {
      narrator.stop()
      control('pause')
    },
    /** The tab was hidden for a minute without sound. */
    pauseAway() {
      narrator.stop()
      control('pause')
      set({ pausedAway: true })
    },
    /** Leaves the running sentence at once, then asks the presenter to go elsewhere. */
    move(action: 'next' | 'previous' | 'repeat' | 'goto', slideIndex?: number) {
      narrator.stop()
      set({ review: null })
      control(action, slideIndex === undefined ? {} : { slideIndex })
    },
    raiseHand(up: boolean) {
      set({ handRaised: up })
      control(up ? 'raise_hand' : 'lower_hand')
    },
    react: (reaction: keyof View['room']['reactions']) => control('react', { reaction }),
    /** Once the talk is over as well. */
    rate(rating: number) {
      set({ room: { ...view.room, rating } })
      control('rate', { rating })
    },
    review(index: number | null) {
      const slide = index === null ? null : Math.max(0, Math.min(view.room.slides.length - 1, index))
      set({ review: slide === view.room.slideIndex ? null : slide })
    },

    setSound(on: boolean) {
      setSound(on)
      if (seat !== null) saveSeat({ ...seat, sound: on })
    },
    choose,
    showOriginal: (original: boolean) => set({ original }),
    closeLate: () => set({ late: false }),
    showRail: (rail: boolean) => set({ rail }),
    /** It begins with slide and captions alone. */
    theatre: (theatre: boolean) => set({ theatre, rail: null }),

    openOffer() {
      outbox?.send('cta', { action: 'click' })
      set({ room: { ...view.room, cta: { ...view.room.cta, state: 'clicked' } } })
    },
    hideOffer() {
      if (view.room.cta.state === 'shown') outbox?.send('cta', { action: 'dismiss' })
      set({ offerHidden: true })
    },
    showOffer: () => set({ offerHidden: false }),
    fillLead: (leadDraft: Readonly<Record<string, string>>) => set({ leadDraft, dialog: { type: 'details' } }),
    show: (dialog: View['dialog']) => set({ dialog }),
    sendLead: (details: Readonly<Record<string, unknown>>) =>
      outbox?.send('lead', { ...details, consent: true, consentVersion: room.consentVersion }),

    /** Ends an isolated run after an undo of 5 s; a broadcast is left at once. */
    leave() {
      if (!isolated || isOver(view)) return leaveNow()
      set({ leaving: true })
      cancelLeave = clock.after(leaveUndoMs, leaveNow)
    },
    undoLeave() {
      cancelLeave?.()
      cancelLeave = null
      set({ leaving: false })
    },
    /** Another tab took the stream: take it back. */
    takeHere() {
      set({ room: { ...view.room, closed: null } })
      if (seat !== null) connect(seat)
    },
    lose: () => stream?.lose(),
    wake() {
      stream?.wake()
      outbox?.wake()
    },
    isolated,
    seat: () => seat,
    hush(on: boolean) {
      set({ hushed: on && isolated })
      narrator.hush(on)
    },
    /** Of what is heard: four bars; null where only the caption tells. */
    level: () => (view.sound ? (voices.clip?.level?.() ?? null) : null),
    subscribeLevel: (tell: () => void) => voices.clip?.onLevel?.(tell) ?? (() => {}),
    /** The question that is being written, kept over a reload of this tab. */
    draft: platform.tab,
  }
}
