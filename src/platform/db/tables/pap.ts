// Rows of the personal agent protocol; migration 010-pap.

export interface PapTables {
  pap_questions: PapQuestionRow
}

/** What personal agents asked, and what they were told: the host sees it beside the questions of the room. */
export interface PapQuestionRow {
  id: string
  account_id: string
  session_id: string
  /** As `given_by` of a lead: what one agent asked and the lead it sent belong together. */
  asked_by: string
  attendee_name: string | null
  question: string
  answer: string
  /** JSON array of the slides that it cites, from 0. */
  slides: string
  outcome: string
  at: number
}
