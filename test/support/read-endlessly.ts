// A server that reads a page which never ends, for the test that kills it. Tells the number of its reader on stdout.
import { hostileDocuments } from './hostile-documents.ts'
import { readDocument, readLimits } from '@rostrum/deck/render/read-document'
import { systemClock } from '@rostrum/base/clock'

const bomb = hostileDocuments.find(({ name }) => name === 'forms that draw each other 2^40 times')
if (bomb === undefined) throw new Error('There is no such document.')
const limits = { ...readLimits, pageMs: 60_000, documentMs: 60_000 }
const sink = { total: async () => void process.send?.('reading'), page: async () => {} }
await readDocument({ kind: bomb.kind, files: [bomb.build()] }, sink, systemClock, { limits })
