import type { Answer } from '@/components/chat/asking/answer'
import { isRunning, putRuns, type Run, runsOf, showRuns } from '@/components/chat/asking/runs'

/** Puts a run where the screen sees it, in the place of the last one of its message. Those that ended before go. */
export function beginRun(run: Run): void {
  const others = runsOf(run.conversationId).filter((other) => other.messageId !== run.messageId && isRunning(other))
  putRuns(run.conversationId, [...others, run])
  notifyNextFrame()
}

/** Changes what a run has answered so far. */
export function changeRun({ conversationId, messageId }: Run, change: (answer: Answer) => Answer): void {
  putRuns(
    conversationId,
    runsOf(conversationId).map((run) => (run.messageId === messageId ? { ...run, answer: change(run.answer) } : run)),
  )
  notifyNextFrame()
}

/** Takes a run away that came to nothing. */
export function dropRun({ conversationId, messageId }: Run): void {
  putRuns(
    conversationId,
    runsOf(conversationId).filter((run) => run.messageId !== messageId),
  )
  notifyNextFrame()
}

/** Words are drawn thirty times a second at most: more nobody reads. */
const DRAW_EVERY_MS = 32
/** Where drawing is slow, it is done less often: it takes this part of the page's time, and what is typed has the rest. */
const MOST_OF_TIME = 1 / 3
const RAREST_MS = 160

let isAwaited = false
let drawnAt = 0
/** How long the last drawings took, with their layout and paint; the newest counts most. */
let usualMs = 0

/** Many events, one drawing: what comes between two drawings is shown together. */
function notifyNextFrame(): void {
  if (isAwaited) return
  isAwaited = true
  requestAnimationFrame(onFrame)
}

/**
 * At most once a frame, and not within it: what the words take is a task beside that of laying out and painting, and a key is
 * heard between the two.
 */
function onFrame(now: number): void {
  const every = Math.min(RAREST_MS, Math.max(DRAW_EVERY_MS, usualMs / MOST_OF_TIME))
  if (now - drawnAt < every) {
    requestAnimationFrame(onFrame)
    return
  }
  drawnAt = now
  setTimeout(draw)
}

function draw(): void {
  isAwaited = false
  const startedAt = performance.now()
  showRuns()
  // Behind what the listeners have put off till the end of this task, and then behind the frame that shows it.
  queueMicrotask(() => {
    const wordsMs = performance.now() - startedAt
    requestAnimationFrame(() => {
      const frameAt = performance.now()
      setTimeout(() => {
        usualMs = (usualMs + wordsMs + performance.now() - frameAt) / 2
      })
    })
  })
}
