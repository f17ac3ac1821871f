// Rows of the analytics area; migration 009-analytics.

export interface AnalyticsTables {
  run_summaries: RunSummaryRow
}

/** The fold of a run that is over, good as long as its log ends at `last_seq`. */
export interface RunSummaryRow {
  run_id: string
  session_id: string
  last_seq: number
  slides_count: number
  /** JSON of `RunSummary`. */
  summary: string
}
