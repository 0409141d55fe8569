import type { PointerEvent } from 'react'

/** A pointer that passes by does not stay this long on a name. */
const REST_MS = 80
/** Someone who has come this near and not pressed may still do so. */
const KEEP_MS = 10_000

let ahead: { chatId: string; stop: Promise<() => void>; end?: ReturnType<typeof setTimeout> } | undefined
let rest: ReturnType<typeof setTimeout> | undefined

/**
 * What reads a chat that is about to be opened: one on whose name a pointer rests, or that it presses, before the press becomes
 * a click. Not a finger, which presses names to scroll past them.
 */
export const readingAhead = (chatId: string) => ({
  onPointerMove: ({ pointerType }: PointerEvent) => {
    clearTimeout(rest)
    if (pointerType === 'touch') return
    if (ahead?.chatId === chatId) begin(chatId)
    else rest = setTimeout(() => begin(chatId), REST_MS)
  },
  onPointerDown: ({ pointerType }: PointerEvent) => {
    if (pointerType !== 'touch') begin(chatId)
  },
  onPointerLeave: () => clearTimeout(rest),
})

function begin(chatId: string): void {
  clearTimeout(rest)
  if (ahead?.chatId !== chatId) {
    drop()
    ahead = { chatId, stop: read(chatId) }
  }
  clearTimeout(ahead.end)
  ahead.end = setTimeout(drop, KEEP_MS)
}

function drop(): void {
  clearTimeout(ahead?.end)
  void ahead?.stop.then((stop) => stop())
  ahead = undefined
}

async function read(chatId: string): Promise<() => void> {
  try {
    return (await import('@/lib/browser/storage/use-thread')).readAhead(chatId)
  } catch {
    // Without a connection it is read when it is opened, if it can be.
    return () => undefined
  }
}
