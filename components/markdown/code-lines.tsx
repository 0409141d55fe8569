'use client'

import {
  createContext,
  memo,
  type ReactNode,
  type RefCallback,
  type RefObject,
  startTransition,
  use,
  useCallback,
  useEffect,
  useMemo,
  useState,
} from 'react'
import type { HighlightAnswer, HighlightQuestion } from '@/components/markdown/highlight/highlight.worker'
import { grammarOf } from '@/components/markdown/highlight/names'
import type { CodeLine } from '@/components/markdown/highlight/tokens'

/** The text around is still being written: nothing in it folds while somebody may follow it. */
export const OpenText = createContext(false)

/** Sent when something unfolds: the reader is not to be scrolled to the end by it. It bubbles. */
export const UNFOLD_EVENT = 'lagoon:unfold'

/** Lines that are drawn in one go; between two groups the page may do something else. */
const GROUP_LINES = 40

type CodeLinesProps = { code: string; language: string | undefined; isOpen: boolean; fold: Fold }

/** Shows code, plain at first and while it is being written; a worker colours it. */
export function CodeLines({ code, language, isOpen, fold }: CodeLinesProps) {
  const lines = useColours(code, isOpen ? undefined : grammarOf(language))
  const isLong = fold.count !== undefined
  const begins = isLong ? endOfLine(code, SHOWN_LINES) : code.length
  if (!lines) {
    return (
      <code>
        {code.slice(0, begins)}
        {isLong && <Rest rest={fold.rest}>{code.slice(begins)}</Rest>}
      </code>
    )
  }
  const first = isLong ? Math.min(SHOWN_LINES, lines.length) : lines.length
  return (
    <code>
      <Groups lines={lines} from={0} to={first} />
      {isLong && (
        <Rest rest={fold.rest}>
          <Groups lines={lines} from={first} to={lines.length} />
        </Rest>
      )}
    </code>
  )
}

type RestProps = Pick<Fold, 'rest'> & { children: ReactNode }

/** Has a box of its own only while it is folded: copied by hand, the code has no break that is not in it. */
function Rest({ rest, children }: RestProps) {
  return (
    <span ref={rest} className="code-rest">
      {children}
    </span>
  )
}

function Groups({ lines, from, to }: { lines: CodeLine[]; from: number; to: number }) {
  const starts = Array.from({ length: Math.ceil((to - from) / GROUP_LINES) }, (_, at) => from + at * GROUP_LINES)
  return starts.map((start) => (
    <Group key={start} lines={lines} start={start} end={Math.min(to, start + GROUP_LINES)} />
  ))
}

type Coloured = { code: string; grammar: string; lines: CodeLine[] }

function useColours(code: string, grammar: string | undefined): CodeLine[] | undefined {
  const [coloured, setColoured] = useState<Coloured>()
  useEffect(() => {
    if (!grammar || cachedHighlight(code, grammar)) return
    const controller = new AbortController()
    void highlight(code, grammar, controller.signal).then((lines) => {
      if (lines && !controller.signal.aborted) startTransition(() => setColoured({ code, grammar, lines }))
    })
    return () => controller.abort()
  }, [code, grammar])
  if (!grammar) return undefined
  if (coloured?.code === code && coloured.grammar === grammar) return coloured.lines
  return cachedHighlight(code, grammar)
}

const Group = memo(function Group({ lines, start, end }: { lines: CodeLine[]; start: number; end: number }) {
  return lines.slice(start, end).map((line, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: lines of finished code do not move
    <Line key={at} line={line} isLast={start + at === lines.length - 1} />
  ))
})

function Line({ line, isLast }: { line: CodeLine; isLast: boolean }) {
  return (
    <>
      {line.map((piece, at) =>
        typeof piece === 'string' ? (
          piece
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: pieces of a finished line do not move
          <span key={at} className={`code-${piece[0]}`}>
            {piece[1]}
          </span>
        ),
      )}
      {isLast ? '' : '\n'}
    </>
  )
}

const MAX_HIGHLIGHTED = 100_000
/** A worker that takes longer for one block is ended. */
const MAX_JOB_MS = 8_000
const MAX_CACHED = 500_000
const MAX_FAILURES = 3

type Job = { code: string; grammar: string; done: (lines: CodeLine[] | undefined) => void }

const cache = new Map<string, CodeLine[]>()
let cachedChars = 0
const queue: Job[] = []
let running: (Job & { id: number; timer: ReturnType<typeof setTimeout> }) | undefined
let worker: Worker | undefined
let count = 0
let failures = 0

const cacheKey = (code: string, grammar: string) => `${grammar}\n${code}`

const cachedHighlight = (code: string, grammar: string): CodeLine[] | undefined => cache.get(cacheKey(code, grammar))

/**
 * Colours code in a worker, one block after the other; `undefined` when it stays plain: it is too long, took too long,
 * or `signal` was aborted.
 */
function highlight(code: string, grammar: string, signal: AbortSignal): Promise<CodeLine[] | undefined> {
  const known = cachedHighlight(code, grammar)
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
  const started = new Worker(new URL('./highlight/highlight.worker.ts', import.meta.url), { type: 'module' })
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
  if (lines) cacheLines(job, lines)
  job.done(lines)
  runNext()
}

function restart(): void {
  failures += 1
  worker?.terminate()
  worker = undefined
  if (failures >= MAX_FAILURES) for (const job of queue.splice(0)) job.done(undefined)
  finish(undefined)
}

function cacheLines({ code, grammar }: Job, lines: CodeLine[]): void {
  cache.set(cacheKey(code, grammar), lines)
  cachedChars += code.length
  for (const oldest of cache.keys()) {
    if (cachedChars <= MAX_CACHED) return
    cache.delete(oldest)
    cachedChars -= oldest.length
  }
}

const MAX_LINES = 40
const SHOWN_LINES = 24

type Fold = { count: number | undefined; isFolded: boolean; toggle: () => void; rest: RefCallback<HTMLElement> }

export const UNFOLDED: Fold = { count: undefined, isFolded: false, toggle: () => undefined, rest: () => undefined }

/**
 * Folds long code of a finished answer. Code that was written while this page looked on stays open. Browsers that can
 * find text in folded code unfold it.
 */
export function useFold(code: string, frame: RefObject<HTMLElement | null>): Fold {
  const isWritten = use(OpenText)
  const [isOpened, setIsOpened] = useState(isWritten)
  const lines = useMemo(() => countLines(code), [code])
  const isLong = !isWritten && lines > MAX_LINES
  const isFolded = isLong && !isOpened
  // React knows `hidden` as yes or no only, so that it is set by hand, before the first paint. For browsers that do not
  // know `until-found` the style sheet hides it.
  const rest = useCallback(
    (element: HTMLElement | null) => {
      if (!element || !isFolded) return
      const open = () => {
        tellUnfolding(element)
        setIsOpened(true)
      }
      element.setAttribute('hidden', 'until-found')
      element.addEventListener('beforematch', open)
      return () => {
        element.removeAttribute('hidden')
        element.removeEventListener('beforematch', open)
      }
    },
    [isFolded],
  )
  const toggle = () => {
    if (isFolded) tellUnfolding(frame.current)
    setIsOpened(isFolded)
  }
  return { count: isLong ? lines : undefined, isFolded, toggle, rest }
}

const tellUnfolding = (element: HTMLElement | null) =>
  element?.dispatchEvent(new Event(UNFOLD_EVENT, { bubbles: true }))

export function countLines(code: string): number {
  let count = 1
  for (let at = code.indexOf('\n'); at !== -1 && at < code.length - 1; at = code.indexOf('\n', at + 1)) count += 1
  return count
}

export function endOfLine(code: string, lines: number): number {
  let at = -1
  for (let line = 0; line < lines; line++) {
    at = code.indexOf('\n', at + 1)
    if (at === -1) return code.length
  }
  return at + 1
}
