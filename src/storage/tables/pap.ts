// Rows of the personal agent protocol; migration 010-pap.

export interface PapTables {
  pap_questions: PapQuestionRow
}

/** What personal agents asked, so that the host sees what the deck could not answer. */
export interface PapQuestionRow {
  id: string
  account_id: string
  session_id: string
  question: string
  outcome: string
  at: number
}
