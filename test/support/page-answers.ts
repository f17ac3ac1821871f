// What the page of a talk answers with, to be bundled as the page is.
export { quotedAnswer } from '@rostrum/answers/answer'
export { buildSessionIndex } from '@rostrum/answers/ranking/session-index'
