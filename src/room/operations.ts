// Every public act of the room, in the order in which the docs show them.
import { acknowledgeBeats } from './acknowledge-beats.ts'
import { actOnCta } from './act-on-cta.ts'
import { askQuestion } from './ask-question.ts'
import { controlRun } from './control-run.ts'
import { hostRun } from './host-run.ts'
import { joinRoom } from './join-room.ts'
import { leaveContactDetails } from './leave-details.ts'
import { leaveRoom } from './leave-room.ts'
import { streamRun } from './stream-run.ts'
import { viewRoom } from './view-room.ts'
import { voteQuestion } from './vote-question.ts'

export const roomOperations = [
  viewRoom,
  joinRoom,
  streamRun,
  askQuestion,
  acknowledgeBeats,
  controlRun,
  actOnCta,
  leaveContactDetails,
  leaveRoom,
  voteQuestion,
  hostRun,
] as const
