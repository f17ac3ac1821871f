// Knowledge from documents: chosen, sent, split into passages by the server.
import { showToast } from '../../ui/toast.tsx'
import { upload } from '../data/api.ts'
import { knowledgeQuery } from '../data/queries.ts'
import { cache } from '../data/use-query.ts'
import { documents } from '../parts/file-field.tsx'
import { plural } from '../parts/format.ts'
import { UploadDialog } from '../parts/upload-dialog.tsx'

export function KnowledgeFiles({ id, onClose }: { id: string; onClose: () => void }) {
  const send = async (files: readonly File[], onProgress: (share: number) => void) => {
    const { added } = await upload('add_knowledge', { sessionId: id }, files, onProgress)
    await cache.invalidateQueries({ queryKey: knowledgeQuery(id).queryKey })
    showToast({ text: `${plural(added, 'passage')} added.` })
  }
  return <UploadDialog act="Add from files" kind={documents} send={send} onClose={onClose} />
}
