// Knowledge from documents: chosen, sent, split into passages by the server.
import { showToast } from '../../ui/toast.tsx'
import { upload } from '../data/api.ts'
import { knowledgeQuery, sessionPath } from '../data/queries.ts'
import { cache } from '../data/use-query.ts'
import { documents } from '../parts/file-field.tsx'
import { plural } from '../parts/format.ts'
import { UploadDialog } from '../parts/upload-dialog.tsx'

export function KnowledgeFiles({ id, onClose }: { id: string; onClose: () => void }) {
  const send = async (form: FormData, onProgress: (share: number) => void) => {
    const { added } = await upload<{ added: number }>(sessionPath(id, '/knowledge/files'), form, onProgress, 'POST')
    await cache.invalidateQueries({ queryKey: knowledgeQuery(id).queryKey })
    showToast({ text: `${plural(added, 'passage')} added.` })
  }
  return <UploadDialog act="Add from files" kind={documents} send={send} onClose={onClose} />
}
