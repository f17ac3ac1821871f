// What the page of a talk answers with, to be bundled as the page is.
export { quotedAnswer } from '../../src/answers/answer.ts'
export { buildSessionIndex } from '../../src/answers/ranking/session-index.ts'
