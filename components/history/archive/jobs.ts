import type { ArchiveAnswer, ArchiveJob } from '@/components/history/archive/work'
import { isVaultOn } from '@/lib/browser/vault/flag'
import { msg } from '@/lib/i18n/t'

export type Outcome = Exclude<ArchiveAnswer, { kind: 'progress' }>

/** Runs a job in a worker. `stop` ends it at the next record; what was imported until then stays. */
export function runArchiveJob(job: ArchiveJob, onProgress: (done: number, of: number) => void) {
  if (isVaultOn()) return runHere(job, onProgress)
  const worker = new Worker(new URL('./archive.worker.ts', import.meta.url), { type: 'module' })
  const outcome = new Promise<Outcome>((resolve) => {
    worker.addEventListener('message', ({ data }: MessageEvent<ArchiveAnswer>) => {
      if (data.kind === 'progress') return onProgress(data.done, data.of)
      resolve(data)
      worker.terminate()
    })
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      resolve({
        kind: 'failed',
        message: msg('The browser could not start the job. Reload the page and try again.'),
        needsPassword: false,
      })
      worker.terminate()
    })
  })
  worker.postMessage(job)
  return { outcome, stop: () => worker.postMessage({ kind: 'stop' }) }
}

/** Runs a job on the page: the chats of the vault are in its memory, where no worker reads them. */
function runHere(job: ArchiveJob, onProgress: (done: number, of: number) => void) {
  const controller = new AbortController()
  const outcome = new Promise<Outcome>((resolve, reject) => {
    const say = (answer: ArchiveAnswer) => {
      if (answer.kind === 'progress') onProgress(answer.done, answer.of)
      else resolve(answer)
    }
    Promise.all([import('@/components/history/archive/work'), import('@/lib/browser/storage/database')])
      .then(([{ doJob }, { db }]) => doJob(job, db, controller.signal, say))
      .catch(reject)
  })
  return { outcome, stop: () => controller.abort() }
}
