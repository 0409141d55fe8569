import { useEffect, useMemo, useState } from 'react'
import type { RpcAnswer } from '@/components/rpc/client'
import type { DecodedReply } from '@/components/rpc/response/decode/decoded'
import type { Job, JobResult, Opening } from '@/components/rpc/response/decode/jobs'
import type { Reply, TextChunk } from '@/components/rpc/response/decode/json'
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

/** Runs jobs on one reply at a time in a worker, or on the page where the browser gives none. */
export class ResponseWorker {
  #worker: Worker | undefined
  #isBroken = false
  #count = 0
  #opening: Opening | undefined
  readonly #pending = new Map<number, Pending>()

  warm(): void {
    this.#start()
  }

  /** Runs a job on a reply, whose text is sent once. @throws DOMException when the signal fires; Error when it fails. */
  run<K extends ReplyJob['kind']>(
    opening: Opening,
    job: Extract<Job, { kind: K }>,
    options?: JobOptions,
  ): Promise<JobResult[K]> {
    if (this.#opening !== opening && !options?.signal?.aborted) {
      this.#opening = opening
      // It is only stored: there is nothing that could fail.
      void this.#enqueue<'open'>({ kind: 'open', ...opening })
    }
    return this.#enqueue<K>(job, options)
  }

  compare(a: string, b: string, options?: JobOptions): Promise<JobResult['compare']> {
    return this.#enqueue<'compare'>({ kind: 'compare', a, b }, options)
  }

  // Even in the middle of a job. Pending jobs are not settled.
  close(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#opening = undefined
    this.#pending.clear()
  }

  #enqueue<K extends Job['kind']>(job: Extract<Job, { kind: K }>, options: JobOptions = {}): Promise<JobResult[K]> {
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
    else void this.#runOnPage(id, job)
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
    const worker = new Worker(new URL('./decode/response.worker.ts', import.meta.url), { type: 'module' })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerAnswer>) => this.#settle(data))
    worker.addEventListener('error', (event) => {
      event.preventDefault()
      this.#fallBack()
    })
    return worker
  }

  #settle(answer: WorkerAnswer): void {
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

  // In order, when the worker could not start or broke.
  #fallBack(): void {
    this.#worker?.terminate()
    this.#worker = undefined
    this.#isBroken = true
    if (this.#opening) void this.#runOnPage(0, { kind: 'open', ...this.#opening })
    for (const [id, { job, hasBegun }] of this.#pending) {
      // What has come in part cannot be begun again.
      if (hasBegun) this.#settle({ id, kind: 'failed', message: 'The view of this response broke off.' })
      else void this.#runOnPage(id, job)
    }
  }

  async #runOnPage(id: number, job: Job): Promise<void> {
    try {
      const { runJob } = await import('@/components/rpc/response/decode/jobs')
      const result = runJob(job, (chunk) => this.#settle({ id, kind: 'chunk', chunk }))
      this.#settle({ id, kind: 'done', result })
    } catch (error) {
      this.#settle({ id, kind: 'failed', message: error instanceof Error ? error.message : String(error) })
    }
  }
}

// Laid out, a longer body would be hundreds of megabytes.
const MAX_SHOWN_CHARS = 20 * 1024 * 1024

export type OpenedAnswer = { answer: RpcAnswer; opening: Opening; worker: ResponseWorker }

type ScannedAnswer = OpenedAnswer & { reply: Reply }

export type OpenedReply = {
  opened?: OpenedAnswer
  reply?: Reply
  // The last scanned answer: this one, or while it is scanned the one before.
  known?: ScannedAnswer
  isTooLarge: boolean
  hasFailed: boolean
}

export function useReply(answer: RpcAnswer | undefined): OpenedReply {
  const [worker] = useState(() => new ResponseWorker())
  const [known, setKnown] = useState<ScannedAnswer>()
  const [failed, setFailed] = useState<RpcAnswer>()
  const opened = useMemo(
    () => (answer && answer.text.length <= MAX_SHOWN_CHARS ? openedOf(answer, worker) : undefined),
    [answer, worker],
  )
  useEffect(() => {
    worker.warm()
    return () => worker.close()
  }, [worker])
  useEffect(() => {
    if (!opened) return
    const unmounting = new AbortController()
    worker.run<'scan'>(opened.opening, { kind: 'scan' }, { signal: unmounting.signal }).then(
      (reply) => setKnown({ ...opened, reply }),
      () => !unmounting.signal.aborted && setFailed(opened.answer),
    )
    return () => unmounting.abort()
  }, [opened, worker])
  return {
    opened,
    known: opened && known,
    reply: known?.answer === answer ? known?.reply : undefined,
    isTooLarge: answer !== undefined && !opened,
    hasFailed: failed !== undefined && failed === answer,
  }
}

function openedOf(answer: RpcAnswer, worker: ResponseWorker): OpenedAnswer {
  const { text, network } = answer
  const calls = answer.calls.map(({ method, params }) => ({ method, params }))
  return { answer, worker, opening: { text, request: { network, calls } } }
}

export const NOTHING_MORE: Readonly<Record<string, number>> = {}

type Decoded = { opened: OpenedAnswer; item: number | undefined; result: DecodedReply | 'failed' }

/** Decodes an answer, or one item of it; while another is decoded the last one stays. `undefined` does nothing. */
export function useDecoded(opened: OpenedAnswer | undefined, item: number | undefined, wanted = NOTHING_MORE) {
  const [decoded, setDecoded] = useState<Decoded>()
  useEffect(() => {
    if (!opened) return
    const unmounting = new AbortController()
    const show = (result: Decoded['result']) => !unmounting.signal.aborted && setDecoded({ opened, item, result })
    opened.worker
      .run<'decode'>(opened.opening, { kind: 'decode', wanted, item }, { signal: unmounting.signal })
      .then(show, () => show('failed'))
    return () => unmounting.abort()
  }, [opened, item, wanted])
  return decoded
}
