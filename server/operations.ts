// Every public operation, in the order in which documents show them and tools are listed. Nothing else decides what is public.
import { type AnalyticsDeps, getSessionAnalytics, listAnalytics } from './analytics/get-session-analytics.ts'
import { listAttendees } from './analytics/list-attendees.ts'
import type { AuthDeps } from './agents/deps.ts'
import { accountDeclarations, authDeclarations } from './agents/operations.ts'
import { addKnowledge, getKnowledge, putKnowledge } from './knowledge/knowledge.ts'
import { deleteSlide, updateDeck, updateSlide } from './decks/operations/change-deck.ts'
import { getDeck } from './decks/operations/get-deck.ts'
import { deletePortrait, putDeck, putPortrait } from './decks/operations/put-deck.ts'
import { getScript, lintDraft, listScriptVersions, mendScript, putScript, restoreScript } from './scripts/put-script.ts'
import { proposeScript } from './scripts/propose-script.ts'
import { correctTranslation, listTranslations } from './scripts/translations.ts'
import { listVoices, sayBeat, updateBeat } from './scripts/update-beat.ts'
import type { Declared, Operation } from './platform/operation.ts'
import { deleteLead, updateLead } from './leads/change-lead.ts'
import { erasePerson } from './leads/erase-person.ts'
import { exportLeads, listLeads } from './leads/export-leads.ts'
import type { LeadsDeps } from './leads/deps.ts'
import { submitAttendeeLead } from './leads/submit-attendee-lead.ts'
import { type PapDeps, queryPresenter } from './pap/query-presenter.ts'
import { sendHeldMails } from './registrations/ceiling.ts'
import { endMails, wantMails } from './registrations/end-mails.ts'
import { getMailChoices, updateMailChoices } from './registrations/mail-choices.ts'
import { deleteRegistration, listRegistrations, sendInvitations } from './registrations/host.ts'
import { cancelRegistration, register, viewOwnRegistration, viewRegistration } from './registrations/register.ts'
import type { RegistrationsDeps } from './registrations/registrants.ts'
import { getRehearsal } from './runs/rehearsal/report.ts'
import { startRehearsal, trySession } from './runs/rehearsal/rehearse.ts'
import { acknowledgeBeats, actOnCta, answerPoll, controlRun, leaveRoom, voteQuestion } from './runs/operations/control-run.ts'
import { planRecording, putRecordingFile } from './recordings/browser-film.ts'
import { createRecording, deleteRecording, getRecording, listRecordings, type RecordingsDeps } from './recordings/recordings.ts'
import { shareRecording, viewReplay } from './recordings/replay.ts'
import { askQuestion } from './runs/operations/ask-question.ts'
import { getTranscript, searchTranscripts } from './runs/operations/transcripts.ts'
import { hostRun, hostSpeech } from './runs/operations/host-run.ts'
import { joinRoom } from './runs/operations/join-room.ts'
import { leaveContactDetails } from './runs/operations/contact-details.ts'
import { listQuestions, listRuns } from './runs/operations/lists.ts'
import type { RehearsalDeps, RoomDeps, RunsDeps } from './runs/room/deps.ts'
import { reportTalk } from './runs/operations/report-talk.ts'
import { streamRun } from './runs/operations/stream-run.ts'
import { endRecap, viewRecap } from './runs/operations/recap.ts'
import { describeEmbed, viewRoom } from './runs/room/rooms.ts'
import { getTranslation } from './runs/operations/get-translation.ts'
import { transcribeUtterance } from './runs/operations/transcribe-utterance.ts'
import {
  createRehearsalLink,
  deleteRehearsalLink,
  deleteSession,
  publishSession,
  unpublishSession,
  updateSession,
} from './hosting/update-session.ts'
import { createSession, duplicateSession } from './hosting/create-session.ts'
import { discoverSessions, getSession, listSessions } from './hosting/list-sessions.ts'
import { createLogo, getBrand, putBrand } from './hosting/put-brand.ts'
import { getUsage } from './sessions/usage.ts'
import type { WebhooksDeps } from './webhooks/subscription.ts'
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
    getBrand,
    putBrand,
    createLogo,
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
    lintDraft,
    mendScript,
    listScriptVersions,
    restoreScript,
    updateBeat,
    listTranslations,
    correctTranslation,
    listVoices,
    sayBeat,
    proposeScript,
  ],
  room: [
    viewRoom,
    describeEmbed,
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
    answerPoll,
    transcribeUtterance,
    getTranslation,
    hostRun,
    hostSpeech,
    viewRecap,
    endRecap,
  ],
  runs: [listRuns, getTranscript, searchTranscripts, listQuestions],
  rehearsals: [startRehearsal, getRehearsal, trySession],
  recordings: [createRecording, listRecordings, getRecording, deleteRecording, planRecording, putRecordingFile, shareRecording, viewReplay],
  analytics: [getSessionAnalytics, listAnalytics, listAttendees],
  webhooks: webhookOperations,
  leads: [exportLeads, listLeads, updateLead, deleteLead, erasePerson],
  registrations: [
    viewRegistration,
    register,
    viewOwnRegistration,
    cancelRegistration,
    listRegistrations,
    deleteRegistration,
    sendInvitations,
    sendHeldMails,
    endMails,
    wantMails,
    getMailChoices,
    updateMailChoices,
  ],
  discovery: [discoverSessions],
  pap: [queryPresenter],
  papLeads: [submitAttendeeLead],
  auth: authDeclarations,
  account: accountDeclarations,
} as const

/** What these operations use together: each says itself what it needs. */
type DepsOf<Declarations extends readonly Declared<never>[]> = Declarations[number]['bind'] extends (deps: infer Deps) => Operation
  ? Deps
  : never

export interface OperationDeps {
  sessions: DepsOf<typeof declarations.sessions> & DepsOf<typeof declarations.discovery>
  decks: DepsOf<typeof declarations.decks>
  room: RoomDeps
  runs: RunsDeps
  rehearsals: RehearsalDeps
  recordings: RecordingsDeps
  webhooks: WebhooksDeps
  auth: AuthDeps
  analytics: AnalyticsDeps
  leads: LeadsDeps
  registrations: RegistrationsDeps
  pap: PapDeps
}

/** The list that every surface projects from. */
export function operations(deps: OperationDeps): Operation[] {
  return [
    ...declarations.sessions.map((declared) => declared.bind(deps.sessions, 'sessions')),
    ...declarations.decks.map((declared) => declared.bind(deps.decks, 'decks')),
    ...declarations.room.map((declared) => declared.bind(deps.room, 'room')),
    ...declarations.runs.map((declared) => declared.bind(deps.runs, 'room')),
    ...declarations.rehearsals.map((declared) => declared.bind(deps.rehearsals, 'room')),
    ...declarations.recordings.map((declared) => declared.bind(deps.recordings, 'recordings')),
    ...declarations.analytics.map((declared) => declared.bind(deps.analytics, 'analytics')),
    ...declarations.webhooks.map((declared) => declared.bind(deps.webhooks, 'webhooks')),
    ...declarations.leads.map((declared) => declared.bind(deps.leads, 'leads')),
    ...declarations.registrations.map((declared) => declared.bind(deps.registrations, 'registrations')),
    ...declarations.discovery.map((declared) => declared.bind(deps.sessions, 'sessions')),
    ...declarations.pap.map((declared) => declared.bind(deps.pap, 'pap')),
    ...declarations.papLeads.map((declared) => declared.bind(deps.leads, 'pap')),
    ...declarations.auth.map((declared) => declared.bind(deps.auth, 'auth')),
    ...declarations.account.map((declared) => declared.bind(deps.auth, 'account')),
  ]
}
