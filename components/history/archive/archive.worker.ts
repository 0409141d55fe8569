import { type ArchiveAnswer, type ArchiveJob, doJob } from '@/components/history/archive/work'
import { HistoryDatabase, PLAIN_NAME } from '@/lib/browser/storage/database'

const controller = new AbortController()

self.addEventListener('message', async ({ data }: MessageEvent<ArchiveJob | { kind: 'stop' }>) => {
  if (data.kind === 'stop') return controller.abort()
  const database = new HistoryDatabase(PLAIN_NAME)
  await doJob(data, database, controller.signal, (answer: ArchiveAnswer) => self.postMessage(answer))
  database.close()
})
