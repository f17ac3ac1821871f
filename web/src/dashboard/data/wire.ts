// What the operations that the dashboard calls answer: the types of their own declarations, by the names that screens use.
import type { InputOf, OutputOf } from '../../../../client/operations.ts'

export type Account = OutputOf<'get_account'>
export type Role = Account['role']

export type AccountBrand = OutputOf<'get_brand'>

export type SessionRecord = OutputOf<'list_sessions'>['sessions'][number]
export type SessionDetail = OutputOf<'get_session'>
/** The members `PATCH` takes; absent ones stay as they are, null clears one. */
export type SessionChange = Omit<InputOf<'update_session'>, 'sessionId'>

/** The newest version, which may not be the one in service. */
export type Deck = OutputOf<'get_deck'>
export type RecordingList = OutputOf<'list_recordings'>
export type Recording = RecordingList['recordings'][number]
export type FilmPlan = OutputOf<'plan_recording'>
export type RegistrationList = OutputOf<'list_registrations'>
export type Registration = RegistrationList['registrations'][number]
export type MailChoices = OutputOf<'get_mail_choices'>
export type Slide = Deck['slides'][number]
export type { Box } from '@rostrum/contract/deck'

/** With its `ETag`. */
export type ScriptAnswer = OutputOf<'get_script'> & { tag: string }
export type Beat = ScriptAnswer['beats'][number]
export type ScriptSlideView = ScriptAnswer['slides'][number]
/** What a listener would stumble over; `fix: null`: may be left out, a text: may be said instead, a sentence a line. */
export type ScriptFinding = ScriptAnswer['findings'][number]
export type Translations = OutputOf<'list_translations'>
export type ScriptVersion = OutputOf<'list_script_versions'>['versions'][number]
/** A sentence in the words of a model, to be taken or left. */
export type Proposal = OutputOf<'propose_script'>['proposals'][number]

export type Passage = OutputOf<'get_knowledge'>['passages'][number]

export type AskedQuestion = OutputOf<'list_questions'>['questions'][number]
export type QuestionStatus = AskedQuestion['status']
export type { AnswerOutcome as Outcome, AnswerTrace, Citation } from '@rostrum/contract/answer'

export type Run = OutputOf<'list_runs'>['runs'][number]
export type RunStatus = Run['status']

export type Analytics = OutputOf<'get_session_analytics'>
/** The figures of one session among all. */
export type Overview = OutputOf<'list_analytics'>['sessions'][number]

export type Attendee = OutputOf<'list_attendees'>['attendees'][number]
export type Lead = OutputOf<'list_leads'>['leads'][number]
export type ApiKey = OutputOf<'list_keys'>['keys'][number]

export type Usage = OutputOf<'get_usage'>
export type Meter = Usage['sessions']

/** What the presenter answers before anybody comes. */
export type Tried = OutputOf<'try_session'>

/** The report of a talk given to a synthetic audience, or to people over the rehearsal link. */
export type Rehearsal = OutputOf<'get_rehearsal'>
