// A deck of uploaded pictures: each file is one slide, in the order sent. Text is for the owner to add.
import { readPicture } from './picture.ts'
import { type OpenDocument, unreadable } from './protocol.ts'

export function openPictures(files: readonly Uint8Array[]): OpenDocument {
  return {
    total: files.length,
    async page(index) {
      const picture = await readPicture(files[index] ?? new Uint8Array())
      const page = { index, title: '', text: '', notes: '' }
      return picture.ok
        ? { ...page, images: picture.images, state: 'no_text' }
        : { ...page, images: [], state: 'placeholder', warnings: unreadable(picture.words) }
    },
  }
}
