// Knowledge from documents: chosen, sent, split into passages by the server.
import { showToast } from '../../ui/toast.tsx'
import { upload } from '../api.ts'
import { documents } from '../file-field.tsx'
import { plural } from '../format.ts'
import { knowledgeQuery, sessionPath } from '../queries.ts'
import { UploadDialog } from '../upload-dialog.tsx'
import { cache } from '../use-query.ts'

export function KnowledgeFiles({ id, onClose }: { id: string; onClose: () => void }) {
  const send = async (form: FormData, onProgress: (share: number) => void) => {
    const { added } = await upload<{ added: number }>(sessionPath(id, '/knowledge/files'), form, onProgress, 'POST')
    await cache.invalidateQueries({ queryKey: knowledgeQuery(id).queryKey })
    showToast({ text: `${plural(added, 'passage')} added.` })
  }
  return <UploadDialog act="Add from files" kind={documents} send={send} onClose={onClose} />
}
