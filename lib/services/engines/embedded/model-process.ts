import 'server-only'
import path from 'node:path'
import { log } from '@/lib/kernel/log'
import { type Child, forkChild } from '@/lib/kernel/process-pool/fork'
import { EngineError, type EngineFailure } from '@/lib/services/engines/engine'

export const LOAD_DEADLINE_MS = 120_000

type ProcessOptions = {
  name: string
  entry: EngineEntry
  isBinary?: boolean
  environment?: Record<string, string>
  loadDeadlineMs?: number
  /** Its error output holds what users wrote, so it is not logged. */
  hidesErrors?: boolean
}

export abstract class ModelProcess<Command extends object, Report> {
  readonly #name: string
  readonly #loadDeadlineMs: number
  readonly #hidesErrors: boolean
  readonly #child: Child
  readonly #loaded = Promise.withResolvers<number>()

  constructor(options: ProcessOptions) {
    const { name, entry, isBinary, environment, loadDeadlineMs = LOAD_DEADLINE_MS, hidesErrors = false } = options
    this.#name = name
    this.#hidesErrors = hidesErrors
    this.#loadDeadlineMs = loadDeadlineMs
    this.#child = forkEntry(entry, { isIsolated: true, isBinary, environment })
    this.#child.process.on('message', (report: Report) => this.receive(report))
    this.#child.process.on('error', (cause) => this.#loaded.reject(broken(cause)))
    this.#child.process.on('exit', (code, signal) => this.#end(code, signal))
    // Whoever ends the process before it was asked to load does not wait for it.
    this.#loaded.promise.catch(() => undefined)
  }

  protected abstract receive(report: Report): void
  protected abstract exited(error: EngineError): void

  /** It ended by itself, and not because it was killed. */
  get hasDied(): boolean {
    const { killed, exitCode, signalCode } = this.#child.process
    return !killed && (exitCode !== null || signalCode !== null)
  }

  get processId(): number | undefined {
    return this.#child.process.pid
  }

  /** Sends the command that loads the model, and waits for its end. @throws EngineError; the process is then gone. */
  async load(command: Command): Promise<void> {
    const startedAt = performance.now()
    const deadline = setTimeout(() => this.refuse(broken(new Error('loading took too long'))), this.#loadDeadlineMs)
    try {
      this.send(command)
      const residentBytes = await this.#loaded.promise
      const durationMs = Math.round(performance.now() - startedAt)
      const residentMegabytes = Math.round(residentBytes / 1e6)
      log().info({ model: this.#name, durationMs, residentMegabytes }, 'embedded model loaded')
    } catch (error) {
      this.kill()
      throw error
    } finally {
      clearTimeout(deadline)
    }
  }

  protected accept(residentBytes: number): void {
    this.#loaded.resolve(residentBytes)
  }

  protected refuse(error: EngineError): void {
    this.#loaded.reject(error)
  }

  protected send(command: Command): void {
    // Between the end of the process and its exit event nobody is there to hear; the exit tells everyone who waits.
    if (this.#child.process.connected) this.#child.process.send(command, () => undefined)
  }

  kill(): void {
    this.#child.process.kill('SIGKILL')
  }

  #end(code: number | null, signal: NodeJS.Signals | null): void {
    const isExpected = this.#child.process.killed
    const stderr = this.#hidesErrors ? undefined : this.#child.stderr()
    if (!isExpected) log().error({ model: this.#name, code, signal, stderr }, 'embedded model process died')
    const error = broken(new Error(`the model process ended with ${signal ?? code}`))
    this.#loaded.reject(error)
    this.exited(error)
  }
}

export function errorOf(report: { reason: EngineFailure; message: string; detail?: string }): EngineError {
  const { reason, message, detail } = report
  return new EngineError(reason, message, detail === undefined ? {} : { cause: new Error(detail) })
}

const broken = (cause: unknown): EngineError =>
  new EngineError('failed', 'The embedded model stopped unexpectedly. Send the request again.', { cause })

export type EngineEntry = `${string}.ts`

export function forkEntry(
  entry: EngineEntry,
  options: { isIsolated: boolean; isBinary?: boolean; environment?: Record<string, string> },
): Child {
  return forkChild(path.join('services', 'engines', 'embedded', entry), {
    // Proxy settings of the environment are meant for children: fetch honours them with this flag.
    flags: ['--use-env-proxy'],
    environment: options.isIsolated ? (options.environment ?? {}) : 'inherited',
    // JSON is what chat speaks; samples and pictures pass as they are.
    messages: options.isBinary ? 'clones' : 'json',
  })
}
