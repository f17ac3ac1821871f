// The room before joining: what anybody with the link may see. Looking writes nothing, so link previews and crawlers are no attendees.
import { z } from 'zod'
import { cta as shownCta } from '../../contract/room.ts'
import { shownSlide } from '../../contract/deck.ts'
import { limits } from '../../contract/fields.ts'
import { roomRecord, roomSettings } from '../../contract/session.ts'
import { open, operation, reads } from '../../platform/operation.ts'
import type { RoomDeps } from '../room-deps.ts'
import type { Talk } from '../talk.ts'
import { findRoom, roomState } from '../rooms.ts'
import { disclosureOf, slideView, unverifiedView } from '../stream/snapshot.ts'

const output = z.object({
  ...roomRecord,
  slug: z.string(),
  state: z.enum(['open', 'draft', 'scheduled', 'ended']),
  kind: z.enum(['live', 'rehearsal']),
  sessionId: z.string().optional(),
  disclosure: z.string(),
  unverified: unverifiedView,
  presenter: z
    .object({ name: z.string().nullable(), imageUrl: z.string().nullable() })
    .optional()
    .describe('Name and portrait that the host gave; whoever shows them says that the presenter is automated.'),
  slides: z.array(shownSlide),
  slideSeconds: z.array(z.number()).describe('How long each slide takes at speed 1, in seconds, as estimated.'),
  deckVersion: z.number(),
  cta: shownCta.nullable(),
  consentText: z.string(),
  consentVersion: z.string(),
  startsAt: z.string().optional(),
  voices: z.object({ tts: z.boolean(), stt: z.boolean() }).describe('Whether the server speaks and listens.'),
  limits: z.object({ question: z.number(), name: z.number() }).describe('Characters that the server takes.'),
})

export const viewRoom = operation({
  name: 'view_room',
  area: 'room',
  summary: 'See a room before joining it',
  access: open,
  effects: reads,
  limit: 'room',
  errors: ['not_found', 'forbidden'],
  input: z.object({ key: z.string().min(1).max(100).describe('The slug of the session, or its rehearsal token.') }),
  run: async ({ key }, call, deps: RoomDeps) => {
    const room = await findRoom(deps, key)
    const { session, kind } = room
    const talk = await deps.content.currentTalk(session.sessionId)
    const { slug, language, cta, startsAt } = session
    return {
      ...roomSettings(session),
      slug,
      state: await roomState(deps.store.read, room, call.now),
      kind,
      // Its report is read beside the room.
      ...(kind === 'rehearsal' ? { sessionId: session.sessionId } : {}),
      disclosure: disclosureOf(session),
      ...(session.unverified && { unverified: true }),
      ...(session.presenter && { presenter: session.presenter }),
      slides: talk.slides.map(slideView),
      slideSeconds: secondsOf(talk),
      deckVersion: talk.deckVersion,
      cta,
      consentText: session.consentText ?? deps.leads.consentTextIn(language),
      consentVersion: String(session.consentVersion),
      ...(startsAt === null ? {} : { startsAt: new Date(startsAt).toISOString() }),
      // The server speaks and listens for whoever somebody vouches for.
      voices: session.unverified ? { tts: false, stt: false } : deps.voices,
      limits: { question: limits.message, name: limits.name },
    }
  },
  http: { method: 'GET', path: '/api/v1/rooms/{key}', output },
})

function secondsOf({ slides, beats }: Talk): number[] {
  const ms = slides.map(() => 0)
  for (const { slideIndex, estMs, pauseMs = 0 } of beats) ms[slideIndex] = (ms[slideIndex] ?? 0) + estMs + pauseMs
  return ms.map((each) => Math.round(each / 1_000))
}
