import { type Job, type JobResult, runJob } from '@/components/rpc/response/decode/jobs'
import type { TextChunk } from '@/components/rpc/response/decode/json'

export type WorkerQuestion = { id: number; job: Job }
export type WorkerAnswer =
  | { id: number; kind: 'chunk'; chunk: TextChunk }
  | { id: number; kind: 'done'; result: JobResult[Job['kind']] }
  | { id: number; kind: 'failed'; message: string }

const answer = (message: WorkerAnswer) => self.postMessage(message)

self.addEventListener('message', ({ data: { id, job } }: MessageEvent<WorkerQuestion>) => {
  try {
    const result = runJob(job, (chunk) => answer({ id, kind: 'chunk', chunk }))
    answer({ id, kind: 'done', result })
  } catch (error) {
    answer({ id, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
  }
})
