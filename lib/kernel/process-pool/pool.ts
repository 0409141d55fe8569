import 'server-only'
import { log } from '@/lib/kernel/log'
import { perProcess } from '@/lib/kernel/per-process'
import type { ChildSetup, Refusal, Report } from '@/lib/kernel/process-pool/child'
import { type Child, forkChild, keepAlive, lockedDown } from '@/lib/kernel/process-pool/fork'
import { Semaphore } from '@/lib/kernel/semaphore'

/**
 * How a task ended without an answer.
 * - `busy`: the queue is full
 * - `timeout`: it took too long
 * - `memory`: it took more memory than a process may
 * - `crash`: the input crashed the reader
 * - `killed`: the process was ended from outside, by the system or by us
 * - `ended`: the process ended itself, or never started
 */
export type ChildEnd = 'busy' | 'timeout' | 'memory' | 'crash' | 'killed' | 'ended'

export type ProcessPoolOptions<Task, Reason extends string> = {
  name: string
  entry: string
  args?: string[]
  environment?: Record<string, string>
  hasAddons?: boolean
  places: number
  maxQueued: number
  deadlineMsOf: (task: Task) => number
  maxResidentBytes: number
  maxHeapBytes?: number
  idleMs: number
  errors: { refused(refusal: Refusal<Reason>): Error; unanswered(end: ChildEnd, cause?: Error): Error }
}

type Worker = { child: Child; idleTimer?: NodeJS.Timeout }
type Exit = { code: number | null; signal: NodeJS.Signals | null; stderr: string }

const CRASHES = new Set<NodeJS.Signals>(['SIGSEGV', 'SIGABRT', 'SIGBUS', 'SIGILL', 'SIGFPE', 'SIGTRAP'])
const OUT_OF_MEMORY: NodeJS.Signals = 'SIGUSR2'

/**
 * A pool of processes that read untrusted input, started on demand and ended when idle. A task that is aborted, takes
 * too long or crashes takes its process with it; the next task gets a new one.
 */
export class ProcessPool<Task extends object, Result, Reason extends string = string> {
  readonly #options: ProcessPoolOptions<Task, Reason>
  readonly #slots: Semaphore
  readonly #members = new Set<Worker>()
  readonly #idle: Worker[] = []
  #closings = 0

  constructor(options: ProcessPoolOptions<Task, Reason>) {
    this.#options = options
    this.#slots = new Semaphore(options.places, {
      max: options.maxQueued,
      full: () => options.errors.unanswered('busy'),
    })
    openPools().add(this)
  }

  get active(): number {
    return this.#slots.active
  }

  get queued(): number {
    return this.#slots.queued
  }

  get processIds(): number[] {
    return [...this.#members].flatMap(({ child }) => child.process.pid ?? [])
  }

  /**
   * Runs one task when a process is free.
   *
   * @throws the owner's error for a refusal or an end without an answer; the signal's reason when aborted.
   */
  async run(task: Task, signal: AbortSignal): Promise<Result> {
    const closings = this.#closings
    const leave = await this.#slots.acquire(signal)
    try {
      if (closings !== this.#closings) throw this.#options.errors.unanswered('busy')
      return await this.#work(task, signal)
    } finally {
      leave()
    }
  }

  async close(): Promise<void> {
    this.#closings++
    const members = [...this.#members]
    const gone = members.map(({ child: { process: child } }) => new Promise((resolve) => child.once('exit', resolve)))
    for (const member of members) {
      keepAlive(member.child, true)
      this.#drop(member)
    }
    await Promise.all(gone)
  }

  async #work(task: Task, signal: AbortSignal): Promise<Result> {
    const { errors, deadlineMsOf } = this.#options
    const member = this.#take()
    const { process: child } = member.child
    const answer = Promise.withResolvers<Result>()
    const give = (reason: unknown) => {
      this.#drop(member)
      answer.reject(reason)
    }
    const onReport = ({ isSpent, outcome }: Report<Result, Reason>) => {
      if (isSpent) this.#drop(member)
      if ('result' in outcome) answer.resolve(outcome.result)
      else answer.reject(errors.refused(outcome.refusal))
    }
    // Not at its `exit`: the last words of a process may come after it.
    const onClose = (code: number | null, by: NodeJS.Signals | null) =>
      answer.reject(this.#ended({ code, signal: by, stderr: member.child.stderr() }))
    const onError = (cause: Error) => give(errors.unanswered('ended', cause))
    const onAbort = () => give(signal.reason)
    const deadline = setTimeout(() => give(errors.unanswered('timeout')), deadlineMsOf(task))
    child.on('message', onReport).on('close', onClose).on('error', onError)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      // A failure to send is the end of the process, and its `close` says so.
      child.send(task, () => undefined)
      return await answer.promise
    } finally {
      clearTimeout(deadline)
      signal.removeEventListener('abort', onAbort)
      child.off('message', onReport).off('close', onClose).off('error', onError)
      this.#rest(member)
    }
  }

  #take(): Worker {
    let member = this.#idle.pop()
    // One that has just ended, and whose end was not heard yet.
    while (member && !member.child.process.connected) member = this.#idle.pop()
    member ??= this.#start()
    clearTimeout(member.idleTimer)
    keepAlive(member.child, true)
    return member
  }

  #start(): Worker {
    const { entry, args = [], environment = {}, hasAddons, maxResidentBytes, maxHeapBytes } = this.#options
    const setup: ChildSetup = { parentProcessId: process.pid, maxResidentBytes }
    const heap = maxHeapBytes === undefined ? [] : [`--max-old-space-size=${Math.floor(maxHeapBytes / 2 ** 20)}`]
    const child = forkChild(entry, {
      flags: [...lockedDown({ hasAddons }), ...heap],
      args: [JSON.stringify(setup), ...args],
      environment,
      messages: 'clones',
    })
    const member: Worker = { child }
    this.#members.add(member)
    child.process.on('exit', () => this.#leave(member))
    // Heard by the running task; without a listener it would end the server. What never began has no end.
    child.process.on('error', () => (child.process.pid === undefined ? this.#leave(member) : this.#drop(member)))
    return member
  }

  #rest(member: Worker): void {
    const { process: child } = member.child
    keepAlive(member.child, false)
    if (child.killed || !child.connected) return
    member.idleTimer = setTimeout(() => this.#drop(member), this.#options.idleMs).unref()
    this.#idle.push(member)
  }

  #drop(member: Worker): void {
    this.#wake(member)
    member.child.process.kill('SIGKILL')
  }

  #leave(member: Worker): void {
    this.#wake(member)
    this.#members.delete(member)
  }

  #wake(member: Worker): void {
    clearTimeout(member.idleTimer)
    const at = this.#idle.indexOf(member)
    if (at >= 0) this.#idle.splice(at, 1)
  }

  #ended(exit: Exit): Error {
    const { name, errors } = this.#options
    const end = endOf(exit)
    const { code, signal } = exit
    log().warn({ room: name, end, code, signal, fault: faultIn(exit.stderr) }, 'a decoding process ended during a task')
    return errors.unanswered(end, new Error(`the process ended with ${signal ?? code}`))
  }
}

function endOf({ signal, stderr }: Exit): ChildEnd {
  // V8 aborts when the heap is full.
  if (signal === OUT_OF_MEMORY || /^(FATAL ERROR|# Fatal).* out of memory/m.test(stderr)) return 'memory'
  if (signal === 'SIGKILL') return 'killed'
  return signal && CRASHES.has(signal) ? 'crash' : 'ended'
}

/** Only V8's own lines: others may quote the file that was read, which is never logged. */
const faultIn = (stderr: string): string | undefined =>
  /(FATAL ERROR: |# Fatal |Error: Cannot find |Error: Could not load |Error \[ERR_)[^\n]{0,200}/.exec(stderr)?.[0]

export async function closeProcessPools(): Promise<void> {
  await Promise.all([...openPools()].map((room) => room.close()))
}

function openPools(): Set<{ close(): Promise<void> }> {
  return perProcess('child-rooms', () => new Set())
}
