import type { Job, JobResult, Opening } from '@/components/rpc/response/decode/jobs'
import type { TextChunk } from '@/components/rpc/response/decode/json'
import type { WorkerAnswer, WorkerQuestion } from '@/components/rpc/response/decode/response.worker'

type Pending = {
  job: Job
  hasBegun: boolean
  onChunk: ((chunk: TextChunk) => void) | undefined
  done: (result: JobResult[Job['kind']]) => void
  failed: (error: Error) => void
}

type JobOptions = { onChunk?: (chunk: TextChunk) => void; signal?: AbortSignal }
type ReplyJob = Exclude<Job, { kind: 'open' | 'compare' }>

/** A worker for one reply at a time. Where the browser gives none, the jobs run on the page. */
export class ResponseWorker {
  #worker: Worker | undefined
  #isBroken = false
  #count = 0
  #opening: Opening | undefined
  readonly #pending = new Map<number, Pending>()

  warm(): void {
    this.#start()
  }

  /**
   * Asks something of a reply. Its text is sent once.
   *
   * @throws DOMException when the signal fires; Error when the job failed.
   */
  ask<K extends ReplyJob['kind']>(
    opening: Opening,
    job: Extract<Job, { kind: K }>,
    options?: JobOptions,
  ): Promise<JobResult[K]> {
    if (this.#opening !== opening && !options?.signal?.aborted) {
      this.#opening = opening
      // It is only kept: there is nothing that could fail.
      void this.#run<'open'>({ kind: 'open', ...opening })
    }
    return this.#run<K>(job, options)
  }

  compare(a: string, b: string, options?: JobOptions): Promise<JobResult['compare']> {
    return this.#run<'compare'>({ kind: 'compare', a, b }, options)
  }

  /** Ends the worker, even in the middle of a job. Pending jobs are not answered. */
  close(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#opening = undefined
    this.#pending.clear()
  }

  #run<K extends Job['kind']>(job: Extract<Job, { kind: K }>, options: JobOptions = {}): Promise<JobResult[K]> {
    const { signal } = options
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      this.#count += 1
      const id = this.#count
      // The result of a job is of its kind.
      const done = (result: JobResult[Job['kind']]) => resolve(result as JobResult[K])
      this.#pending.set(id, { job, hasBegun: false, onChunk: options.onChunk, done, failed: reject })
      signal?.addEventListener('abort', () => {
        if (this.#pending.delete(id)) reject(signal.reason)
      })
      this.#send(id, job)
    })
  }

  #send(id: number, job: Job): void {
    const worker = this.#start()
    if (worker) worker.postMessage({ id, job } satisfies WorkerQuestion)
    else void this.#runHere(id, job)
  }

  #start(): Worker | undefined {
    if (this.#isBroken) return undefined
    try {
      this.#worker ??= this.#open()
    } catch {
      this.#isBroken = true
    }
    return this.#worker
  }

  #open(): Worker {
    const worker = new Worker(new URL('./response.worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => this.#hear(data))
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.#fallBack()
    })
    return worker
  }

  #hear(answer: WorkerAnswer): void {
    const pending = this.#pending.get(answer.id)
    if (!pending) return
    if (answer.kind === 'chunk') {
      pending.hasBegun = true
      pending.onChunk?.(answer.chunk)
      return
    }
    this.#pending.delete(answer.id)
    if (answer.kind === 'done') pending.done(answer.result)
    else pending.failed(new Error(answer.message))
  }

  /** Runs pending jobs on the page, in order, when the worker could not start or broke. */
  #fallBack(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#isBroken = true
    if (this.#opening) void this.#runHere(0, { kind: 'open', ...this.#opening })
    for (const [id, { job, hasBegun }] of this.#pending) {
      // What has come in part cannot be begun again.
      if (hasBegun) this.#hear({ id, kind: 'failed', message: 'The view of this response broke off.' })
      else void this.#runHere(id, job)
    }
  }

  async #runHere(id: number, job: Job): Promise<void> {
    try {
      const { runJob } = await import('@/components/rpc/response/decode/jobs')
      const result = runJob(job, (chunk) => this.#hear({ id, kind: 'chunk', chunk }))
      this.#hear({ id, kind: 'done', result })
    } catch (error) {
      this.#hear({ id, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }
}
