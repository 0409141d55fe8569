import { BLOB_GRACE_MS, dropUnusedBlobs } from '@/lib/browser/storage/blobs'
import { purgeDeleted } from '@/lib/browser/storage/chats'
import { UNDO_MS } from '@/lib/browser/storage/records'

/** Looking at all messages for the files that they have is for when the page has nothing else to do. */
const FILES_AFTER_MS = 15_000

let timer: ReturnType<typeof setTimeout> | undefined

/** Removes for good what was deleted and cannot be taken back any more; a while later the files that only it had. */
export async function tidy(): Promise<void> {
  await purgeDeleted(Date.now() - UNDO_MS)
  tidyFiles(FILES_AFTER_MS)
}

function tidyFiles(afterMs: number): void {
  if (timer !== undefined) return
  timer = setTimeout(() => {
    timer = undefined
    dropUnusedBlobs().then(
      (isSomeLeft) => isSomeLeft && tidyFiles(BLOB_GRACE_MS),
      () => undefined,
    )
  }, afterMs)
}
