import { create } from 'zustand'
import type { Usd } from '@/lib/contract/money'
import type { Session } from '@/lib/contract/session'

export type WalletRequest = {
  /** What the person was about to do, as the beginning of a sentence: `To send this message`. */
  why?: string
  /** An existing session whose wallet only has to be connected again: nothing is signed. */
  session?: Session
}

const walletDialog = createDialogRequest<WalletRequest, Session | null>()

export const openWallet = (request: WalletRequest = {}): Promise<Session | null> => walletDialog.open(request)

export const settleWallet = (session: Session | null): void => walletDialog.close(session)

export const walletRequest = walletDialog.read
export const useWalletRequest = walletDialog.use

export type TopUpRequest = {
  /** What is missing, where known: the sheet offers an amount that covers it. */
  needed?: Usd
  why?: string
}

const topUpDialog = createDialogRequest<TopUpRequest, boolean>()

/** Opens the top-up sheet. Resolves true once credit was added, false when it was closed without. */
export const openTopUp = (request: TopUpRequest = {}): Promise<boolean> => topUpDialog.open(request)

/** Tells the caller that there is credit now; the sheet stays open for its receipt. */
export const answerTopUp = (): void => topUpDialog.answer(true)

export const closeTopUp = (): void => topUpDialog.close(false)

export const useTopUpRequest = topUpDialog.use

export type HistorySheet =
  | { kind: 'archive' }
  | { kind: 'shares' }
  | { kind: 'tags'; chatId: string }
  | { kind: 'share'; chatId: string; leafId?: string }

const historySheet = create<{ open?: HistorySheet | undefined }>(() => ({}))

export const openHistorySheet = (open: HistorySheet | undefined): void => historySheet.setState({ open })

export const useHistorySheet = (): HistorySheet | undefined => historySheet(({ open }) => open)

export type Overlay = { kind: 'palette'; query: string } | { kind: 'shortcuts' }

const overlay = create<{ opened?: Overlay | undefined }>(() => ({}))

export const openPalette = (query = ''): void =>
  overlay.setState(({ opened }) => ({ opened: opened?.kind === 'palette' ? undefined : { kind: 'palette', query } }))

export const openShortcutSheet = (): void => overlay.setState({ opened: { kind: 'shortcuts' } })

export const closeOverlay = (): void => overlay.setState({ opened: undefined })

export const useOverlay = (): Overlay | undefined => overlay(({ opened }) => opened)

type Opening<Request, Answer> = { request: Request; answer: Promise<Answer>; settle: (answer: Answer) => void }

/**
 * Creates a dialog that any feature may open and one feature draws. Opened twice it is one dialog, and both callers get
 * its answer.
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
    answer: (answer: Answer): void => current()?.settle(answer),
    close(answer: Answer): void {
      const closed = current()
      useOpening.setState({ opening: undefined })
      closed?.settle(answer)
    },
    read: (): Request | undefined => current()?.request,
    use: (): Request | undefined => useOpening(({ opening }) => opening?.request),
  }
}
