// Every public operation, in the order in which documents show them and tools are listed. Nothing else decides what is public.
import type { AnalyticsDeps } from './analytics/get-session-analytics.ts'
import { getSessionAnalytics } from './analytics/get-session-analytics.ts'
import type { AuthDeps } from './agents/deps.ts'
import { authDeclarations } from './agents/operations.ts'
import { addKnowledge } from './decks/add-knowledge.ts'
import { deleteSlide } from './decks/delete-slide.ts'
import type { DecksDeps } from './decks/deps.ts'
import { getDeck } from './decks/get-deck.ts'
import { getKnowledge } from './decks/get-knowledge.ts'
import { putDeck } from './decks/put-deck.ts'
import { getScript } from './decks/get-script.ts'
import { putKnowledge } from './decks/put-knowledge.ts'
import { deletePortrait, putPortrait } from './decks/put-portrait.ts'
import { proposeScript } from './decks/propose-script.ts'
import { mendScript, putScript } from './decks/put-script.ts'
import { listScriptVersions, restoreScript } from './decks/restore-script.ts'
import { sayBeat } from './decks/say-beat.ts'
import { discardWrittenScript, writeScript } from './decks/write-script.ts'
import { updateBeat } from './decks/update-beat.ts'
import { updateDeck } from './decks/update-deck.ts'
import { updateSlide } from './decks/update-slide.ts'
import type { Operation } from './kernel/operation.ts'
import { deleteLead } from './leads/delete-lead.ts'
import { exportLeads, listLeads } from './leads/export-leads.ts'
import type { LeadsDeps } from './leads/ports.ts'
import { submitAttendeeLead } from './leads/submit-attendee-lead.ts'
import type { PapDeps } from './pap/ports.ts'
import { queryPresenter } from './pap/query-presenter.ts'
import { getRehearsal } from './presenter/rehearsal/get-rehearsal.ts'
import type { RehearsalDeps } from './presenter/rehearsal/rehearsal-deps.ts'
import { startRehearsal } from './presenter/rehearsal/start-rehearsal.ts'
import { acknowledgeBeats } from './room/acknowledge-beats.ts'
import { actOnCta } from './room/act-on-cta.ts'
import { askQuestion } from './room/ask-question.ts'
import { controlRun } from './room/control-run.ts'
import { getTranscript } from './room/get-transcript.ts'
import { hostRun } from './room/host-run.ts'
import { joinRoom } from './room/join-room.ts'
import { leaveContactDetails } from './room/leave-details.ts'
import { leaveRoom } from './room/leave-room.ts'
import { listQuestions } from './room/list-questions.ts'
import { listRuns } from './room/list-runs.ts'
import type { RoomDeps } from './room/room-deps.ts'
import type { RunsDeps } from './room/runs-deps.ts'
import { reportTalk } from './room/report-talk.ts'
import { searchTranscripts } from './room/search-transcripts.ts'
import { streamRun } from './room/stream-run.ts'
import { endRecap } from './room/end-recap.ts'
import { viewRecap } from './room/view-recap.ts'
import { viewRoom } from './room/view-room.ts'
import { transcribeUtterance } from './room/transcribe-utterance.ts'
import { voteQuestion } from './room/vote-question.ts'
import { createSession } from './sessions/create-session.ts'
import { deleteSession } from './sessions/delete-session.ts'
import { discoverSessions } from './sessions/discover-sessions.ts'
import { duplicateSession } from './sessions/duplicate-session.ts'
import { getSession } from './sessions/get-session.ts'
import { getUsage } from './sessions/get-usage.ts'
import { listSessions } from './sessions/list-sessions.ts'
import type { SessionsDeps } from './sessions/ports.ts'
import { publishSession, unpublishSession } from './sessions/publish-session.ts'
import { createRehearsalLink, deleteRehearsalLink } from './sessions/rehearsal-link.ts'
import { updateSession } from './sessions/update-session.ts'
import type { WebhooksDeps } from './webhooks/deps.ts'
import { webhookOperations } from './webhooks/operations.ts'

/** By feature, because that is what gives them their dependencies. */
export const declarations = {
  sessions: [
    createSession,
    listSessions,
    getSession,
    updateSession,
    publishSession,
    unpublishSession,
    duplicateSession,
    deleteSession,
    createRehearsalLink,
    deleteRehearsalLink,
    getUsage,
  ],
  decks: [
    putDeck,
    getDeck,
    updateDeck,
    updateSlide,
    deleteSlide,
    getKnowledge,
    putKnowledge,
    putPortrait,
    deletePortrait,
    addKnowledge,
    getScript,
    putScript,
    mendScript,
    listScriptVersions,
    restoreScript,
    updateBeat,
    sayBeat,
    proposeScript,
    writeScript,
    discardWrittenScript,
  ],
  room: [
    viewRoom,
    joinRoom,
    streamRun,
    askQuestion,
    acknowledgeBeats,
    controlRun,
    actOnCta,
    leaveContactDetails,
    leaveRoom,
    reportTalk,
    voteQuestion,
    transcribeUtterance,
    hostRun,
    viewRecap,
    endRecap,
  ],
  runs: [listRuns, getTranscript, searchTranscripts, listQuestions],
  rehearsals: [startRehearsal, getRehearsal],
  analytics: [getSessionAnalytics],
  webhooks: webhookOperations,
  leads: [exportLeads, listLeads, deleteLead],
  discovery: [discoverSessions],
  pap: [queryPresenter],
  papLeads: [submitAttendeeLead],
  auth: authDeclarations,
} as const

export interface OperationDeps {
  sessions: SessionsDeps
  decks: DecksDeps
  room: RoomDeps
  runs: RunsDeps
  rehearsals: RehearsalDeps
  webhooks: WebhooksDeps
  auth: AuthDeps
  analytics: AnalyticsDeps
  leads: LeadsDeps
  pap: PapDeps
}

/** The list that every surface projects from. */
export function operations({ sessions, decks, room, runs, rehearsals, webhooks, auth, analytics, leads, pap }: OperationDeps): Operation[] {
  return [
    ...declarations.sessions.map((declared) => declared.bind(sessions)),
    ...declarations.decks.map((declared) => declared.bind(decks)),
    ...declarations.room.map((declared) => declared.bind(room)),
    ...declarations.runs.map((declared) => declared.bind(runs)),
    ...declarations.rehearsals.map((declared) => declared.bind(rehearsals)),
    ...declarations.analytics.map((declared) => declared.bind(analytics)),
    ...declarations.webhooks.map((declared) => declared.bind(webhooks)),
    ...declarations.leads.map((declared) => declared.bind(leads)),
    ...declarations.discovery.map((declared) => declared.bind(sessions)),
    ...declarations.pap.map((declared) => declared.bind(pap)),
    ...declarations.papLeads.map((declared) => declared.bind(leads)),
    ...declarations.auth.map((declared) => declared.bind(auth)),
  ]
}
