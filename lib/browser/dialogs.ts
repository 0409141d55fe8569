import { create } from 'zustand'
import type { Session } from '@/lib/browser/session'
import type { Usd } from '@/lib/contract/money'

/** What the wallet dialog is opened for. */
export type WalletRequest = {
  /** What the person was about to do, as the beginning of a sentence: `To send this message`. */
  why?: string
  /** A session that stands, whose wallet only has to be connected again: nothing is signed. */
  session?: Session
}

const walletDialog = createDialogRequest<WalletRequest, Session | null>()

/**
 * Opens the dialog that connects a wallet and signs in. Resolves with the session, or `null` when the dialog was closed
 * without one.
 */
export const openWallet = (request: WalletRequest = {}): Promise<Session | null> => walletDialog.open(request)

/** Ends the dialog and tells whoever asked for it. */
export const settleWallet = (session: Session | null): void => walletDialog.close(session)

/** What the dialog is asked for, if it is. */
export const walletRequest = walletDialog.read
export const useWalletRequest = walletDialog.use

/** What the sheet is opened for. */
export type TopUpRequest = {
  /** What is missing, where that is known: the sheet offers an amount that covers it. */
  needed?: Usd
  /** One line above the amounts: what the credit is for. */
  why?: string
}

const topUpDialog = createDialogRequest<TopUpRequest, boolean>()

/** Opens the sheet that adds credit. True once credit was added, false when the sheet was closed without. */
export const openTopUp = (request: TopUpRequest = {}): Promise<boolean> => topUpDialog.open(request)

/** Tells whoever opened the sheet that there is credit now: what waits for it goes on while the receipt is read. */
export const answerTopUp = (): void => topUpDialog.answer(true)

/** Closes the sheet; whoever opened it and has no answer yet hears that nothing came of it. */
export const closeTopUp = (): void => topUpDialog.close(false)

/** What the sheet is open for, if it is. */
export const useTopUpRequest = topUpDialog.use

/** The sheets of the history; one is open at a time. */
export type HistorySheet =
  | { kind: 'archive' }
  | { kind: 'shares' }
  | { kind: 'tags'; chatId: string }
  | { kind: 'share'; chatId: string; leafId?: string }

const historySheet = create<{ open?: HistorySheet | undefined }>(() => ({}))

/** Opens a sheet over the page: import and export, shared links, the tags of a chat, a link to it. */
export const openHistorySheet = (open: HistorySheet | undefined): void => historySheet.setState({ open })

export const useHistorySheet = (): HistorySheet | undefined => historySheet(({ open }) => open)

/** What lies over the page for as long as it is used: the palette, or the list of shortcuts. */
export type Overlay = { kind: 'palette'; query: string } | { kind: 'shortcuts' }

const overlay = create<{ opened?: Overlay | undefined }>(() => ({}))

/** Opens the palette, with something already typed into it. The same key closes the palette again. */
export const openPalette = (query = ''): void =>
  overlay.setState(({ opened }) => ({
    opened: opened?.kind === 'palette' ? undefined : { kind: 'palette', query },
  }))

export const openShortcutSheet = (): void => overlay.setState({ opened: { kind: 'shortcuts' } })

export const closeOverlay = (): void => overlay.setState({ opened: undefined })

export const useOverlay = (): Overlay | undefined => overlay(({ opened }) => opened)

type Opening<Request, Answer> = { request: Request; answer: Promise<Answer>; settle: (answer: Answer) => void }

/**
 * A dialog that any feature may ask for and one feature draws. Opened twice it is one dialog, and both callers hear the
 * same; the request waits here until the dialog takes it up.
 */
function createDialogRequest<Request, Answer>() {
  const useOpening = create<{ opening?: Opening<Request, Answer> | undefined }>(() => ({}))
  const current = () => useOpening.getState().opening
  return {
    open(request: Request): Promise<Answer> {
      const open = current()
      if (open) return open.answer
      const { promise, resolve } = Promise.withResolvers<Answer>()
      useOpening.setState({ opening: { request, answer: promise, settle: resolve } })
      return promise
    },
    /** Answers the callers, and leaves the dialog open. */
    answer: (answer: Answer): void => current()?.settle(answer),
    /** Closes the dialog, and answers callers that have no answer yet. */
    close(answer: Answer): void {
      const closed = current()
      useOpening.setState({ opening: undefined })
      closed?.settle(answer)
    },
    read: (): Request | undefined => current()?.request,
    use: (): Request | undefined => useOpening(({ opening }) => opening?.request),
  }
}
