import { BLOB_GRACE_MS, dropUnusedBlobs } from '@/lib/browser/storage/blobs'
import { purgeDeleted } from '@/lib/browser/storage/chats'
import { UNDO_MS } from '@/lib/browser/storage/records'

const FILES_AFTER_MS = 15_000

let timer: ReturnType<typeof setTimeout> | undefined

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
