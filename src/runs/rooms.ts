// Finding the room behind a key: the slug of a published session, or a rehearsal token, which works for drafts too.
import type { Reader } from '../platform/db/store.ts'
import { ServiceError } from '../platform/errors.ts'
import type { RoomDeps } from './room-deps.ts'
import type { FoundSession, TalkSession } from './talk.ts'

type Room = FoundSession

/** One answer for what does not exist, is a draft, or was unpublished; another for who was not named. */
export async function findRoom({ content }: Pick<RoomDeps, 'content'>, key: string): Promise<Room> {
  const found = await content.findSession(key.toLowerCase())
  if (found === null || (found.kind === 'live' && found.session.status !== 'published')) {
    throw new ServiceError('not_found', 'This talk is not open.')
  }
  if (found.guest === null) {
    throw new ServiceError('forbidden', 'This talk is for people whom its host has named. Open it by the link of your invitation.')
  }
  return found
}

/** A scheduled broadcast that was held is over; other talks begin anew with whoever comes. */
export async function hasEnded(read: Reader, session: TalkSession, kind: Room['kind'], now: number): Promise<boolean> {
  const { mode, startPolicy, startsAt, sessionId } = session
  if (kind === 'rehearsal' || mode !== 'broadcast' || startPolicy !== 'scheduled' || startsAt === null || startsAt > now) return false
  const held = await read
    .selectFrom('runs')
    .select('id')
    .where('session_id', '=', sessionId)
    .where('kind', '=', 'live')
    .where('ended_at', '>=', startsAt)
    .limit(1)
    .executeTakeFirst()
  return held !== undefined
}

export async function roomState(read: Reader, { session, kind }: Room, now: number): Promise<'open' | 'draft' | 'scheduled' | 'ended'> {
  if (await hasEnded(read, session, kind, now)) return 'ended'
  if (session.status === 'draft') return 'draft'
  const isScheduled = session.mode === 'broadcast' && session.startPolicy === 'scheduled' && session.startsAt !== null
  return isScheduled && (session.startsAt ?? 0) > now ? 'scheduled' : 'open'
}
