// What a host writes in answer, in the server's voice: its sentences get their clips before the command reaches the machine, so that
// nothing of it can be lost between two events. A voice that is late leaves the sentence to the browser.
import { sentenceSpans } from '../../sessions/deck/sentences.ts'
import type { RoomCommand } from '../command.ts'
import { type AnswerVoice, firstWordMs } from './answering-task.ts'
import type { LeasedRun } from './leased-run.ts'

/** The host's own words, where a voice is to say them to the room. */
export function isToBeSaid(command: RoomCommand): command is RoomCommand & { kind: 'host'; text: string } {
  return command.kind === 'host' && command.action === 'answer_text' && command.isPrivate !== true && command.text !== undefined
}

/** The command with its sentences and those of their clips that came in time. Never rejects. */
export async function voiced(
  voice: AnswerVoice,
  { setting }: LeasedRun,
  command: RoomCommand & { kind: 'host'; text: string },
): Promise<RoomCommand> {
  const { sessionId, voice: wanted } = setting.session
  const signal = new AbortController().signal
  const texts = sentenceSpans(command.text).map(({ start, end }) => command.text.slice(start, end))
  const sentences = texts.map(async (text) => {
    const clip = await voice.say({ sessionId, text, voice: wanted }, firstWordMs, signal)
    return clip === null ? { text } : { text, clip: { audioUrl: clip.url, audioMs: clip.ms } }
  })
  return { ...command, sentences: await Promise.all(sentences) }
}
