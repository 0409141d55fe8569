import type { HighlightAnswer, HighlightQuestion } from '@/components/markdown/highlight/highlight.worker'
import type { CodeLine } from '@/components/markdown/highlight/tokens'

/** Longer code stays plain, in characters. */
const MAX_HIGHLIGHTED = 100_000
/** How long one block may take before its thread is ended. */
const MAX_JOB_MS = 8_000
/** Code that is kept coloured, in characters. */
const MAX_KEPT = 500_000
const MAX_FAILURES = 3

type Job = { code: string; grammar: string; done: (lines: CodeLine[] | undefined) => void }

const kept = new Map<string, CodeLine[]>()
let keptChars = 0
const queue: Job[] = []
let running: (Job & { id: number; timer: ReturnType<typeof setTimeout> }) | undefined
let worker: Worker | undefined
let count = 0
let failures = 0

const keyOf = (code: string, grammar: string) => `${grammar}\n${code}`

/** The colours of code that was coloured before. */
export const keptHighlight = (code: string, grammar: string): CodeLine[] | undefined => kept.get(keyOf(code, grammar))

/**
 * Colours code in a thread of its own, one block after the other.
 *
 * @returns `undefined` when it stays plain: it is too long, took too long, or nobody waits for it any more.
 */
export function highlight(code: string, grammar: string, signal: AbortSignal): Promise<CodeLine[] | undefined> {
  const known = keptHighlight(code, grammar)
  if (known || code.length > MAX_HIGHLIGHTED || failures >= MAX_FAILURES) return Promise.resolve(known)
  return new Promise((resolve) => {
    const job: Job = { code, grammar, done: resolve }
    signal.addEventListener('abort', () => {
      const at = queue.indexOf(job)
      if (at >= 0) queue.splice(at, 1)
      resolve(undefined)
    })
    queue.push(job)
    runNext()
  })
}

function runNext(): void {
  if (running) return
  const job = queue.shift()
  if (!job) return
  const id = ++count
  running = { ...job, id, timer: setTimeout(restart, MAX_JOB_MS) }
  try {
    worker ??= start()
    worker.postMessage({ id, code: job.code, grammar: job.grammar } satisfies HighlightQuestion)
  } catch {
    restart()
  }
}

function start(): Worker {
  const started = new Worker(new URL('./highlight.worker.ts', import.meta.url), { type: 'module' })
  started.addEventListener('message', ({ data }: MessageEvent<HighlightAnswer>) => {
    if (data.id === running?.id) finish(data.lines)
  })
  started.addEventListener('error', (event) => {
    event.preventDefault()
    restart()
  })
  return started
}

function finish(lines: CodeLine[] | undefined): void {
  const job = running
  running = undefined
  if (!job) return
  clearTimeout(job.timer)
  if (lines) keep(job, lines)
  job.done(lines)
  runNext()
}

/** The thread hangs or broke: what it had stays plain, and the rest gets a new one. */
function restart(): void {
  failures += 1
  worker?.terminate()
  worker = undefined
  if (failures >= MAX_FAILURES) for (const job of queue.splice(0)) job.done(undefined)
  finish(undefined)
}

function keep({ code, grammar }: Job, lines: CodeLine[]): void {
  kept.set(keyOf(code, grammar), lines)
  keptChars += code.length
  for (const oldest of kept.keys()) {
    if (keptChars <= MAX_KEPT) return
    kept.delete(oldest)
    keptChars -= oldest.length
  }
}
