import { create } from 'zustand'
import type { Answer } from '@/components/chat/asking/answer'
import { provideStop } from '@/lib/browser/running-answers'
import type { Step } from '@/lib/browser/storage/records'

export type Run = { conversationId: string; messageId: string; answer: Answer; stop: () => void }

type State = {
  /** Counts drawings: `runs` change with each word, and their readers are drawn anew only with this. */
  draws: number
  secondModel: string | undefined
  hasSearchFailed: boolean
}

const NONE: readonly Run[] = []

/** Runs outlive the screen: an answer goes on while the person reads another chat. */
const runs = new Map<string, readonly Run[]>()

const useStore = create<State>(() => ({ draws: 0, secondModel: undefined, hasSearchFailed: false }))

export const useRuns = (conversationId: string | null): readonly Run[] =>
  useStore(() => (conversationId === null ? NONE : runsOf(conversationId)))

export const useIsAnswering = (conversationId: string | null): boolean =>
  useStore(() => conversationId !== null && isAnswering(conversationId))

export const runsOf = (conversationId: string): readonly Run[] => runs.get(conversationId) ?? NONE

const isRunning = ({ answer }: Run): boolean => answer.status === 'streaming'

export const isAnswering = (conversationId: string): boolean => runsOf(conversationId).some(isRunning)

/** Puts a run in the place of the last one of its message; other runs that ended go. `redrawNextFrame` shows it. */
export function beginRun(run: Run): void {
  const others = runsOf(run.conversationId).filter((other) => other.messageId !== run.messageId && isRunning(other))
  runs.set(run.conversationId, [...others, run])
}

export function changeRun(run: Run): void {
  runs.set(
    run.conversationId,
    runsOf(run.conversationId).map((other) => (other.messageId === run.messageId ? run : other)),
  )
}

export function dropRun({ conversationId, messageId }: Run): void {
  runs.set(
    conversationId,
    runsOf(conversationId).filter((run) => run.messageId !== messageId),
  )
}

export const redraw = (): void => useStore.setState(({ draws }) => ({ draws: draws + 1 }))

const MIN_DRAW_MS = 32
/** Where drawing is slow, it takes this share of the page's time, and typing has the rest. */
const MAX_DRAW_SHARE = 1 / 3
const MAX_DRAW_MS = 160

let isDrawAwaited = false
let drawnAt = 0
let usualDrawMs = 0

/** Draws what changed, as soon and as often as the page keeps up with. */
export function redrawNextFrame(): void {
  if (isDrawAwaited) return
  isDrawAwaited = true
  requestAnimationFrame(onFrame)
}

/** Draws in a task beside layout and paint, not within the frame, so that a key is heard between the two. */
function onFrame(now: number): void {
  const every = Math.min(MAX_DRAW_MS, Math.max(MIN_DRAW_MS, usualDrawMs / MAX_DRAW_SHARE))
  if (now - drawnAt < every) {
    requestAnimationFrame(onFrame)
    return
  }
  drawnAt = now
  setTimeout(draw)
}

function draw(): void {
  isDrawAwaited = false
  const startedAt = performance.now()
  redraw()
  // Behind what the listeners have put off till the end of this task, and then behind the frame that shows it.
  queueMicrotask(() => {
    const wordsMs = performance.now() - startedAt
    requestAnimationFrame(() => {
      const frameAt = performance.now()
      setTimeout(() => {
        usualDrawMs = (usualDrawMs + wordsMs + performance.now() - frameAt) / 2
      })
    })
  })
}

export function stopRuns(conversationId: string): void {
  for (const run of runsOf(conversationId)) run.stop()
}

provideStop(stopRuns)

export const useSecondModel = (): string | undefined => useStore(({ secondModel }) => secondModel)

export const setSecondModel = (secondModel: string | undefined): void => useStore.setState({ secondModel })

export const useHasSearchFailed = (): boolean => useStore(({ hasSearchFailed }) => hasSearchFailed)

export function noteSearch(steps: readonly Step[] = []): void {
  const last = steps.findLast((step) => step.type === 'search')
  if (last?.type !== 'search' || last.outcome === undefined || last.outcome === 'not_needed') return
  useStore.setState({ hasSearchFailed: last.outcome === 'failed' })
}
