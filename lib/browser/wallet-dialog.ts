import type { Session } from '@/lib/browser/session-type'

/** What the wallet dialog is opened for. */
export type WalletRequest = {
  /** What the person was about to do, as the beginning of a sentence: `To send this message`. */
  why?: string
  /** A session that stands, whose wallet only has to be connected again: nothing is signed. */
  session?: Session
}

type Opening = { request: WalletRequest; answer: Promise<Session | null>; settle: (session: Session | null) => void }

let opening: Opening | undefined
const listeners = new Set<() => void>()

/**
 * Opens the dialog that connects a wallet and signs in. Resolves with the session, or `null` when the dialog was closed
 * without one. Opened twice it is one dialog, and both askers hear the same. The dialog lives above this layer, so the
 * request waits here until the dialog takes it up.
 */
export function openWallet(request: WalletRequest = {}): Promise<Session | null> {
  if (opening) return opening.answer
  const { promise, resolve } = Promise.withResolvers<Session | null>()
  opening = { request, answer: promise, settle: resolve }
  notify()
  return promise
}

/** Ends the dialog and tells whoever asked for it. */
export function settleWallet(session: Session | null): void {
  const settled = opening
  opening = undefined
  notify()
  settled?.settle(session)
}

/** What the dialog is asked for, if it is. */
export const walletRequest = (): WalletRequest | undefined => opening?.request

export function onWalletRequest(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

function notify(): void {
  for (const listener of listeners) listener()
}
