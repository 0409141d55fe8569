import type { Usd } from '@/lib/contract/money'

/** What the sheet is opened for. */
export type TopUpRequest = {
  /** What is missing, where that is known: the sheet offers an amount that covers it. */
  needed?: Usd
  /** One line above the amounts: what the credit is for. */
  why?: string
}

type Opening = { request: TopUpRequest; answer: Promise<boolean>; settle: (isCredited: boolean) => void }

let opening: Opening | undefined
const listeners = new Set<() => void>()

/**
 * Opens the sheet that adds credit. True once credit was added, false when the sheet was closed without. Opened twice it
 * is one sheet, and both askers hear the same.
 */
export function openTopUp(request: TopUpRequest = {}): Promise<boolean> {
  if (opening) return opening.answer
  const { promise, resolve } = Promise.withResolvers<boolean>()
  opening = { request, answer: promise, settle: resolve }
  notify()
  return promise
}

/** Tells whoever opened the sheet that there is credit now: what waits for it goes on while the receipt is read. */
export function answerTopUp(): void {
  opening?.settle(true)
}

/** Closes the sheet; whoever opened it and has no answer yet hears that nothing came of it. */
export function closeTopUp(): void {
  const closing = opening
  opening = undefined
  notify()
  closing?.settle(false)
}

/** What the sheet is open for, if it is. */
export function topUpRequest(): TopUpRequest | undefined {
  return opening?.request
}

export function onTopUpChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function notify(): void {
  for (const listener of listeners) listener()
}
