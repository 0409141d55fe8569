import 'server-only'
import path from 'node:path'
import { log } from '@/lib/kernel/log'
import type { Child } from '@/lib/kernel/process-pool/fork'
import { forkChild } from '@/lib/kernel/process-pool/fork'
import { EngineError, type EngineFailure } from '@/lib/services/engines/engine'

const LOAD_DEADLINE_MS = 120_000

type Loading = { type: 'loaded'; residentBytes: number } | { type: 'failed'; id?: number } | { type: string }

type Options<Report> = {
  name: string
  entry: EngineEntry
  isBinary?: boolean
  onReport: (report: Report) => void
  onExit: (error: EngineError) => void
}

export class ModelProcess<Command extends object, Report extends Loading> {
  readonly #options: Options<Report>
  readonly #child: Child
  readonly #loaded = Promise.withResolvers<number>()

  constructor(options: Options<Report>) {
    this.#options = options
    this.#child = forkEntry(options.entry, { isIsolated: true, isBinary: options.isBinary })
    this.#child.process.on('message', (report: Report) => this.#options.onReport(report))
    this.#child.process.on('error', (cause) => this.#loaded.reject(broken(cause)))
    this.#child.process.on('exit', (code, signal) => this.#end(code, signal))
    // Whoever ends the process before it was asked to load does not wait for it.
    this.#loaded.promise.catch(() => undefined)
  }

  get id(): number | undefined {
    return this.#child.process.pid
  }

  /** Sends the command that loads the model, and waits for its end. @throws EngineError; the process is then gone. */
  async load(command: Command): Promise<void> {
    const startedAt = performance.now()
    const deadline = setTimeout(() => this.refuse(broken(new Error('loading took too long'))), LOAD_DEADLINE_MS)
    try {
      this.send(command)
      const residentBytes = await this.#loaded.promise
      const durationMs = Math.round(performance.now() - startedAt)
      const residentMegabytes = Math.round(residentBytes / 1e6)
      log().info({ model: this.#options.name, durationMs, residentMegabytes }, 'embedded model loaded')
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }

  accept(residentBytes: number): void {
    this.#loaded.resolve(residentBytes)
  }

  refuse(error: EngineError): void {
    this.#loaded.reject(error)
  }

  send(command: Command): void {
    // Between the end of the process and its exit event nobody is there to hear; the exit tells everyone who waits.
    if (this.#child.process.connected) this.#child.process.send(command, () => undefined)
  }

  kill(): void {
    this.#child.process.kill('SIGKILL')
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    const isExpected = this.#child.process.killed
    const stderr = this.#child.stderr()
    if (!isExpected) log().error({ model: this.#options.name, code, signal, stderr }, 'embedded model process died')
    const error = broken(new Error(`the model process ended with ${signal ?? code}`))
    this.#loaded.reject(error)
    this.#options.onExit(error)
  }
}

export function errorOf(report: { reason: EngineFailure; message: string; detail?: string }): EngineError {
  const { reason, message, detail } = report
  return new EngineError(reason, message, detail === undefined ? {} : { cause: new Error(detail) })
}

const broken = (cause: unknown): EngineError =>
  new EngineError('failed', 'The embedded model broke off. Send the request again.', { cause })

export type EngineEntry = `${string}.ts`

/** Starts an entry of this folder as a child process. One that is not isolated has the environment of the server. */
export function forkEntry(entry: EngineEntry, options: { isIsolated: boolean; isBinary?: boolean }): Child {
  return forkChild(path.join('services', 'engines', 'embedded', entry), {
    // Proxy settings of the environment are meant for children: fetch honours them with this flag.
    flags: ['--use-env-proxy'],
    environment: options.isIsolated ? {} : 'inherited',
    // JSON is what chat speaks; samples and pictures pass as they are.
    messages: options.isBinary ? 'clones' : 'json',
  })
}
