// Saves one setting as soon as its field is left.
import { changeSession } from '../data/queries.ts'
import { orToast } from '../data/undoable.ts'
import type { SessionChange, SessionDetail } from '../data/wire.ts'

export const save = (session: SessionDetail, change: SessionChange): Promise<void> => orToast(changeSession(session.id, change))
