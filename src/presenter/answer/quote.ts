// Turns ranked units into spoken quotes with citations. A quote is cut from the source by its offsets, never re-worded.
import type { Candidate } from '../retrieval/rank.ts'
import type { Citation } from './answer-part.ts'
import type { Templates } from './templates.ts'

const quoteMax = 420
/** A second quote is given only when it comes close; among slides closer, since two bullets of one deck are seldom both meant. */
const secondMargin = { deck: 1.6, prose: 4 }
